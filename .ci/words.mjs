/**
 * Fails when a word of the project's former private language comes back, in names, messages, comments, tests or documents.
 *
 *     node .ci/words.mjs            lists each occurrence and exits 1 when there is one
 *     node .ci/words.mjs --count    prints how often each word occurs, and exits 0
 *
 * `instead` is what the field says. `allow` are the ordinary uses of the same letters: names that other programs read, names of AWS.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Attributes of the table, members of the function's answer and of the platform's control side: contracts, kept as they are. */
const WORDS = [
  { word: /\b(im)?patien(ce|t|tly|ts)\b|Patience|Patient/, instead: 'retry budget, deadline, context' },
  { word: /\bmemories\b|StreamMemory|\bmemory of (a|the|each|one) stream/i, instead: 'stream state' },
  { word: /\bworlds?\b|World\b|\bedges\b|Edges\b/, instead: 'ports, clients' },
  { word: /\b[dD]rainings?\b/, instead: 'stream run' },
  {
    word: /(?<![dD]ead[- ])\bletters?\b|(?<![dD]ead|[dD]ead_)Letters?(?=[A-Z]|\b)/,
    instead: 'dead letter',
    allow:
      /lower-?case letters|upper-?case letters|letters?(,)? (or )?digits|letters? and digits|['".]letters\b|\bletters[?]?:|capital letters|letter case|two letters|\bletters,|readonly letters|\{ letters|letters \}|letters\.|StreamName>|MAX_REDRIVE|SiemDeadLetter|first letter|letter by letter|a-z|as a Dead Letter Queue\./,
  },
  { word: /\bjudg(e|es|ed|ing|ement)\b|\bverdicts?\b|Verdict\b|Judge\b/i, instead: 'decide, decision, result, health' },
  { word: /\bmend(s|ed|ing)?\b|(?<!om)mend(ed|ing)/i, instead: 'repair, fix', allow: /['".]mending|mending: \{/ },
  {
    word: /\bOrder\b(?!ed|ing| by| of )|parseOrder|\borders? (a|an|the|of an operator|to be tried)\b|operator(s|'s)? orders?\b|\bordered (it|them|again|a )/,
    instead: 'command',
    allow: /In order|in (the |that |this )?order|[Oo]rder (of|in|by)|the order/,
  },
  { word: /\btold\b|\btell(s|ing|ers?)?\b|Told\b|Teller/i, instead: 'report, notify, acknowledged, say' },
  {
    word: /\b(un)?doubt(s|ed|ful)?\b|[dD]oubt(s|ed|ful)?\b|Doubt/,
    instead: 'unconfirmed',
    allow: /in doubt'|'in doubt/,
  },
  { word: /\bamiss\b/i, instead: 'unhealthy' },
  { word: /\bis well\b|\bare well\b|\ball well\b|\bunder way\b/i, instead: 'healthy, in progress' },
  { word: /\bexamin(e|es|ed|ing|ation)\b|\btodo\b|\bTODO\b/, instead: 'run checks, remedy' },
  {
    word: /\bsift(s|ed|ing)?\b|\bswallow(s|ed|ing)?\b|[sS]wallow|Sifted|\bnews\b/i,
    instead: 'de-duplicate, in window, changes',
  },
  { word: /\bobey(s|ed|ing)?\b/i, instead: 'apply command' },
  {
    word: /\bannounce(s|d|ment|ments)?\b|Announce/i,
    instead: 'write intent; of S3: notify, notification',
    // Deployed stacks have them: another logical id or description would replace the SIEM's queue or policy.
    allow: /'Announcements'|Siem\(?Announcements|queue that announces them\./,
  },
  { word: /\bin[- ]flight notes?\b|\binFlight\b|InFlight/, instead: 'intent' },
  {
    word: /\bsettle(s|d)?\b|\bsettling\b|\bSettled?\b/,
    instead: 'commit, committed',
    allow: /allSettled|settledPages|settled: \{|\['settled'\]/,
  },
  {
    word: /\brecall(s|ed)?\b|\brecollections?\b|Recollection|(?<!ac)knowledge\b/i,
    instead: 'look up, stored states, known',
  },
  { word: /\bincarnations?\b/i, instead: 'revision', allow: /['".]incarnation'?|incarnation: \{/ },
  { word: /\bunclean\b/i, instead: 'dirty' },
  {
    word: /\bguard(s|ed)?\b|Guard\b|class Holding|\bbeats?\b/i,
    instead: 'assert lease valid; held lease; heartbeat',
    allow: /elastic\.co\/guide\/en\/beats/,
  },
  { word: /\bpersist\(|\bpersists\b/, instead: 'retry' },
  {
    word: /\bunsound\b|\bsound\b|\bseal(s|ed|ing)?\b/i,
    instead: 'checksum, integrity error',
    allow: /['".`]seal['`]?|seal: \{/,
  },
  {
    word: /\bowner(s|less)?\b|Owner(s)?\b|\bvanish(es|ed)?\b|[vV]anishesWith|\bmemberships?\b|Memberships?/,
    instead: 'parent, cascades from, child index',
    allow:
      /withoutOwner|['"]owner['"]|\.owner\b|owner: \{|[oO]bjectOwner|Ownership|repository owner|CODEOWNERS|github.*owner|ExpectedBucketOwner|<Owner>|Owner: |\|Owner\|TopicArn/,
  },
  { word: /\blanes?\b|Lane\b/, instead: 'group' },
  { word: /\bfingerprints?\b|Fingerprint/i, instead: 'version tag', allow: /fingerprint(256)?'|certificate/ },
  { word: /\b[eE]states?\b|[a-z]Estate\b|\bhappenings?\b/, instead: 'tenant data, change' },
  {
    word: /\bstorm(s|y)?\b|Storm|\bsabotage\b|Sabotage|\bwitness(es|ed)?\b|Witness/i,
    instead: 'faults, mutation, recorder',
  },
  { word: /\bstands?\b(?! for\b)|\bStand\b/, instead: 'harness; is, are', allow: /stand-in|understand/ },
  { word: /AlarmFact|AlarmBoard|\balarm board|\balarm facts?\b/i, instead: 'alarm definition, alarms' },
  { word: /\btickets?\b|severity.{0,12}\bpage\b/i, instead: 'critical, warning' },
  {
    word: /\bBudgetSpent\b|\bTombstonesUnseen\b|\bRowsSuppressed\b|['`]Drained['`]|['`]Withdrawn['`]/,
    instead: 'CaughtUp, TimeBudgetExceeded, TombstonesIgnored, ThreatsWithdrawn, RowsDeduplicated',
  },
  { word: /fill-secret|fillSecret|doctor --before/, instead: 'set-credentials, doctor --preflight' },
  { word: /\binquir(y|ies|e)\b|Inquiry|\bledgers?\b|Ledger|\banew\b/i, instead: 'lookup, id index, again' },
  { word: /\bbrought\b/i, instead: 'existing' },
  {
    word: /npm run (sigkill|histories|drills|privileges|operations)\b|\btest\/(sigkill|histories|drills|privileges)\b/,
    instead: 'crash-test, simulation, alarm-tests, iam-report, cli-reference',
  },
  {
    word: /Asking the events|What wakes nobody|The control side|Two memories/,
    instead: 'Query events, No-alarm scenarios, Control API, De-duplication state',
  },
  {
    word: /\bone an id\b|\bnone that\b|\bso with\b|\bbears?\b|\bgoes on\b|\bgo on\b|\bamid\b/i,
    instead: 'plain words',
  },
];

const FILES = /\.(ts|mjs|js|md|sql|json|sh|yml|yaml)$/;
const SKIPPED = /^(package-lock\.json|\.ci\/words\.mjs|CHANGELOG\.md)$|\.snap$|^docs\/decisions\//;
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  .split('\n')
  .filter(file => FILES.test(file) && !SKIPPED.test(file));

const count = process.argv.includes('--count');
const totals = new Map(WORDS.map(({ instead }) => [instead, 0]));
let found = 0;
for (const file of files) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    continue; // Deleted, and not committed yet.
  }
  for (const [index, line] of [file, ...text.split('\n')].entries()) {
    for (const { word, instead, allow } of WORDS) {
      const match = word.exec(line);
      if (!match || allow?.test(line)) continue;
      found++;
      totals.set(instead, (totals.get(instead) ?? 0) + 1);
      if (!count) console.log(`${file}${index === 0 ? '' : `:${index}`}: "${match[0]}": say ${instead}`);
    }
  }
}
if (count)
  for (const { word, instead } of WORDS) console.log(String(totals.get(instead)).padStart(6), word.source.slice(0, 60));
console.log(found === 0 ? 'No word of the private language.' : `${found} lines with words of the private language.`);
process.exitCode = found > 0 && !count ? 1 : 0;
