/**
 * The order of the test files. Jest begins with the largest files until it has measured them once, which a clean clone never has; its
 * longest ones are small, since each collects a folder of suites, and would run last, beside an idle core.
 */
const LONGEST = [
  'test/bin/connectorctl',
  'test/alarms/',
  'test/lambda/hostile-services',
  'test/lambda/proxy',
  'test/local/demo/demo',
  'test/lib/stack',
  'test/local/start/',
  'test/simulation/',
  'test/docs/demo-examples',
  'test/iam/',
  // On real parts.
  'test/lib/query/',
  'test/real/reader',
  'test/real/credentials',
  'test/real/simulation',
];

export default class LongestFirst {
  sort(tests) {
    return tests.toSorted((one, other) => rank(one.path) - rank(other.path) || (one.path < other.path ? -1 : 1));
  }

  /** Asked for by `--onlyFailures`: nothing is kept between runs, so it means all. */
  allFailedTests(tests) {
    return tests;
  }

  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, index) => index % shardCount === shardIndex - 1);
  }

  cacheResults() {}
}

function rank(path) {
  const at = LONGEST.findIndex(each => path.replaceAll('\\', '/').includes(each));
  return at < 0 ? LONGEST.length : at;
}
