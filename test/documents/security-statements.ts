/**
 * For each test file, words of docs/security.md and the name of the test that proves them: empty if
 * the whole file does.
 */
export const SECURITY_STATEMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'test/stack/suites/safety.ts': {
    'no URL and no resource policy':
      'the stack has a single function, which only IAM permissions can invoke, and no custom resource',
    'refuse TLS below 1.2': 'the bucket is encrypted, versioned, cleaned up, and closed to the public and old TLS',
    'No bucket is public': 'the bucket is encrypted, versioned, cleaned up, and closed to the public and old TLS',
    'No secret is in the template': 'every queue is encrypted, logs expire, and no secret is in the template',
    'may assume their roles only for this account':
      'roles trust only services that act for this account, and the named reader',
    'Objects, versions': 'the bucket is encrypted, versioned, cleaned up, and closed to the public and old TLS',
    'logs expire': 'every queue is encrypted, logs expire, and no secret is in the template',
    'The key encrypts table, bucket, secrets and delivery stream':
      'a customer’s key encrypts table, bucket, secrets and delivery stream',
    'only through S3, DynamoDB and Secrets Manager':
      'the customer’s key can be used only through services, and is absent unless configured',
  },
  'test/adapters/source/api.test.ts': {
    'no redirect is followed': 'a request does not follow a redirect (%i), so that the token stays with its host',
    'Bodies have bounds': 'an answer whose body has %s causes a PageTooLargeError',
  },
  'test/function/settings.test.ts': {
    'are called by https': '',
  },
  'test/stack/suites/checks.ts': {
    'refuse plain http': 'the stacks of all variants pass cdk-nag, except for acknowledged findings',
    'has a reason for each exception': 'the stacks of all variants pass cdk-nag, except for acknowledged findings',
  },
  'test/function/process.test.ts': {
    'no secret, token or row is logged': 'the output of the function never contains a part of a secret, token or row',
  },
  'test/stack/iam/privileges.ts': {
    'may read one secret': 'the function’s role allows only the calls of the function and the storing of its logs',
  },
  'test/stack/suites/delivery.ts': {
    'may write below `events/` and `delivery-errors/`': 'delivery to S3 may write only below its two prefixes',
  },
  'test/stack/suites/new-objects.ts': {
    'only from the one bucket of this account':
      'the topic accepts only notifications of the bucket %s from its own account',
  },
  'test/stack/suites/siem-access.ts': {
    'may receive and delete notifications': 'a reader may read only the events and the queue',
    'The vendor must give your external id':
      'a reader may decrypt with the customer’s key and must present its external id',
  },
  'test/stack/suites/grants.ts': {
    'Operators who only inspect change nothing':
      'grantInspect allows no action that changes anything, and grantOperate includes grantInspect',
  },
  'test/rules/filters.test.ts': {
    'omitted members are in no event': '',
  },
  'test/function/bad-rows.test.ts': {
    'in no dead letter': '',
    'a bad row does not stop other rows':
      'a row %s is stored once as a dead letter, as it was sent, and the walk continues',
  },
  'test/adapters/source/token.test.ts': {
    'A rotated secret is read again': 'refused credentials are read again, so that a rotated secret takes effect',
    'no answer of a service is quoted':
      'a token endpoint that keeps failing causes an error without any text of its answers',
  },
  'test/function/organization.test.ts': {
    "organization's rows are not sent":
      'rows of another client are not sent, even if the container checked the client of an earlier token',
  },
  'test/outside/package/package.test.ts': {
    'names the packages of every bundle': 'the notices name every package whose code is in a bundle, with its licence',
    'Workflows pin each action to a commit': 'a workflow refers to actions by their commit, which cannot be moved',
  },
  'test/outside/package/file.package.ts': {
    'The same commit gives the same': 'the same sources in another folder give the same bytes',
  },
};
