/** By words of docs/security.md, the test that proves them: its file, and its name where the file has tests about other things, too. */
export const SECURITY_STATEMENTS: readonly (readonly [words: string, file: string, name?: string])[] = [
  [
    'no URL and no resource policy',
    'test/stack/suites/safety.ts',
    'the stack has one function, which only a permission to invoke it starts, and no custom resource',
  ],
  [
    'no redirect is followed',
    'test/adapters/source/api.test.ts',
    'a request does not follow a redirect (%i), so that the token stays with its host',
  ],
  ['are called by https', 'test/function/settings.test.ts'],
  [
    'refuse plain http',
    'test/stack/suites/checks.ts',
    'the stacks of all variants are valid and pass cdk-nag, except for acknowledged findings',
  ],
  [
    'refuse TLS below 1.2',
    'test/stack/suites/safety.ts',
    'the bucket is encrypted, versioned, cleaned up, and closed to the public and old TLS',
  ],
  [
    'No bucket is public',
    'test/stack/suites/safety.ts',
    'the bucket is encrypted, versioned, cleaned up, and closed to the public and old TLS',
  ],
  [
    'No secret is in the template',
    'test/stack/suites/safety.ts',
    'every queue is encrypted, logs expire, and no secret is in the template',
  ],
  [
    'no secret, token or row is logged',
    'test/function/process.test.ts',
    'the output of the function never contains a part of a secret, token or row',
  ],
  [
    'may read one secret',
    'test/stack/iam/privileges.ts',
    'the function’s role allows only the calls of the function and the storing of its logs',
  ],
  [
    'may write below `events/` and `delivery-errors/`',
    'test/stack/suites/delivery.ts',
    'delivery to S3 may write only below its two prefixes',
  ],
  [
    'only from the one bucket of this account',
    'test/stack/suites/new-objects.ts',
    'the topic accepts only notifications of the bucket %s from its own account',
  ],
  [
    'may assume their roles only for this account',
    'test/stack/suites/safety.ts',
    'roles trust only services that act for this account, and the named reader',
  ],
  [
    'may receive and delete notifications',
    'test/stack/suites/siem-access.ts',
    'a reader may read only the events and the queue',
  ],
  [
    'Operators who only inspect change nothing',
    'test/stack/suites/grants.ts',
    'grantInspect allows no action that changes anything, and grantOperate includes grantInspect',
  ],
  [
    'Objects, versions',
    'test/stack/suites/safety.ts',
    'the bucket is encrypted, versioned, cleaned up, and closed to the public and old TLS',
  ],
  [
    'logs expire',
    'test/stack/suites/safety.ts',
    'every queue is encrypted, logs expire, and no secret is in the template',
  ],
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
    'the customer’s key can be used only through services, and is absent unless configured',
  ],
  [
    'A rotated secret is read again',
    'test/adapters/source/token.test.ts',
    'refused credentials are read again, so that a rotated secret takes effect',
  ],
  [
    "organization's rows are not sent",
    'test/function/organization.test.ts',
    'rows of another client are not sent, even if the container checked the client of an earlier token',
  ],
  [
    'The vendor must give your external id',
    'test/stack/suites/siem-access.ts',
    'a reader may decrypt with the customer’s key and must present its external id',
  ],
  ['Bodies have bounds', 'test/adapters/source/api.test.ts', 'a body with %s causes a PageTooLargeError'],
  [
    'a bad row does not stop other rows',
    'test/function/bad-rows.test.ts',
    'a row %s is stored once as a dead letter, as it was sent, and the walk continues',
  ],
  [
    'no answer of a service is quoted',
    'test/adapters/source/token.test.ts',
    'a token endpoint that keeps failing causes an error without any text of its answers',
  ],
  [
    'names the packages of every bundle',
    'test/outside/package/package.test.ts',
    'the notices name every package whose code is in a bundle, with its licence',
  ],
  ['The same commit gives the same', 'test/outside/package/packed.ts'],
  [
    'Workflows pin each action to a commit',
    'test/outside/package/package.test.ts',
    'a workflow refers to actions by their commit, which cannot be moved',
  ],
  [
    'has a reason for each exception',
    'test/stack/suites/checks.ts',
    'the stacks of all variants are valid and pass cdk-nag, except for acknowledged findings',
  ],
];
