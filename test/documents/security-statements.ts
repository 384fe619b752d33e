/** By words of docs/security.md, the test that proves them: its file, and its name where the file has tests about other things, too. */
export const SECURITY_STATEMENTS: readonly (readonly [words: string, file: string, name?: string])[] = [
  [
    'no URL and no resource policy',
    'test/stack/suites/safety.ts',
    'has no way in to the function but the permission to invoke it',
  ],
  [
    'no redirect is followed',
    'test/adapters/source/api.test.ts',
    'a request never follows a redirect (%i), so the token stays with its host',
  ],
  ['are called by https', 'test/function/settings.test.ts'],
  [
    'refuse plain http',
    'test/stack/suites/checks.ts',
    'are valid CloudFormation and pass the AwsSolutions rules of cdk-nag',
  ],
  ['refuse TLS below 1.2', 'test/stack/suites/safety.ts', 'refuses TLS older than 1.2 at every bucket'],
  [
    'No bucket is public',
    'test/stack/suites/safety.ts',
    'encrypts, versions and cleans up its bucket, and opens it to nobody',
  ],
  [
    'No secret is in the template',
    'test/stack/suites/safety.ts',
    'holds no secret: each is generated, and filled in after the deployment',
  ],
  [
    'no secret, token or row is logged',
    'test/function/process.test.ts',
    'the function writes no part of a secret, a token or a row to its output, whatever fails',
  ],
  [
    'may read one secret',
    'test/stack/iam/privileges.ts',
    'allows nothing that no call needs, but for storing the logs, which the runtime does',
  ],
  [
    'may write below `events/` and `delivery-errors/`',
    'test/stack/suites/delivery.ts',
    'may write below its two prefixes and nowhere else',
  ],
  [
    'only from the one bucket of this account',
    'test/stack/suites/new-objects.ts',
    'accepts the notifications of the bucket %s alone, and only from its account',
  ],
  [
    'may assume their roles only for this account',
    'test/stack/suites/safety.ts',
    'lets %s assume its role only for resources of this account',
  ],
  [
    'may receive and delete notifications',
    'test/stack/suites/siem-access.ts',
    'may read exactly the events and the queue',
  ],
  ['Those who inspect change nothing', 'test/stack/suites/grants.ts', 'let who inspects change nothing'],
  [
    'Objects, versions',
    'test/stack/suites/safety.ts',
    'encrypts, versions and cleans up its bucket, and opens it to nobody',
  ],
  ['logs expire', 'test/stack/suites/safety.ts', 'keeps logs for a time and not for ever'],
  ['omitted members are in no event', 'test/rules/filters.test.ts'],
  ['in no dead letter', 'test/function/bad-rows.test.ts'],
  [
    'The key encrypts table, bucket, secrets and delivery stream',
    'test/stack/suites/safety.ts',
    'a customer’s key encrypts table, bucket, secrets and delivery stream',
  ],
  [
    'only through S3, DynamoDB and Secrets Manager',
    'test/stack/suites/safety.ts',
    'uses the customer’s key through services only, and no key where none is given',
  ],
  [
    'A rotated secret is read again',
    'test/adapters/source/token.test.ts',
    'credentials of a secret that was just rotated are replaced by the new ones',
  ],
  [
    "organization's rows are not sent",
    'test/function/organization.test.ts',
    'rows of another client are not sent, although the container checked the client of the token before',
  ],
  [
    'The vendor must give your external id',
    'test/stack/suites/siem-access.ts',
    'in another account presents the external id',
  ],
  ['Bodies have bounds', 'test/adapters/source/api.test.ts', 'a body with %s is a page too large'],
  [
    'a bad row stops no other',
    'test/function/bad-rows.test.ts',
    'a row of 2 MB is a dead letter, a small oversize event points to it, and its neighbours are sent',
  ],
  [
    'no answer of a service is quoted',
    'test/adapters/source/token.test.ts',
    'a token endpoint that keeps failing is given up after eight tries, and nothing of its answers is shown',
  ],
  [
    'names the packages of every bundle',
    'test/outside/package/package.test.ts',
    'have every package whose code is in a bundle, with its licence',
  ],
  ['The same commit gives the same', 'test/outside/package/packed.ts'],
  [
    'Workflows run actions by commit',
    'test/outside/package/package.test.ts',
    'runs actions by their commit, which nobody can move',
  ],
  ['has a reason for each exception', 'test/stack/suites/checks.ts', 'explain every rule that they break on purpose'],
];
