/**
 * AWS over HTTP, for `connectorctl` in a process of its own: the stack, the caller and the
 * function. Every other call is denied.
 */
import { devNull } from 'node:os';
import type { Stack } from '@aws-sdk/client-cloudformation';
import { PLACE } from '../../aws/references.ts';
import { type Act, httpHarness } from '../../support/function/http-harness.ts';
import type { Deployment } from './deployment.ts';

/**
 * The environment of a process: a region and credentials, without the profiles of whoever runs the
 * tests.
 */
export const OWN_ENVIRONMENT = {
  AWS_REGION: PLACE.region,
  AWS_ACCESS_KEY_ID: 'operator',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
};

export interface ProcessEndpoints extends AsyncDisposable {
  /** `OWN_ENVIRONMENT` with the endpoints. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function processEndpoints(each: Deployment): Promise<ProcessEndpoints> {
  const harness = await httpHarness(answerOf(each));
  const {
    AWS_ENDPOINT_URL_DYNAMODB = '',
    AWS_ENDPOINT_URL_SECRETS_MANAGER = '',
    AWS_ENDPOINT_URL_S3 = '',
  } = each.connector.aws.environment;
  return {
    environment: {
      AWS_ENDPOINT_URL: harness.url,
      AWS_ENDPOINT_URL_DYNAMODB,
      AWS_ENDPOINT_URL_SECRETS_MANAGER,
      AWS_ENDPOINT_URL_S3,
      ...OWN_ENVIRONMENT,
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

function answerOf({ account, invoke }: Deployment): Act {
  return async (response, { target, body, headers }) => {
    const action = new URLSearchParams(body).get('Action');
    if (action === 'DescribeStacks') {
      const stacks = account.stacks.map(stack => stackXml(stack, `http://${headers.host}`));
      response.end(resultXml(action, `<Stacks>${stacks.join('')}</Stacks>`));
    } else if (action === 'GetCallerIdentity') {
      response.end(resultXml(action, elements({ Account: PLACE.account, Arn: 'arn:aws:iam::0:user/operator' })));
    } else if (target.endsWith('/configuration')) {
      response.end(JSON.stringify(account.configuration));
    } else if (target.endsWith('/invocations')) {
      response.end(JSON.stringify(await invoke(JSON.parse(body))));
    } else {
      response.writeHead(403, { 'x-amzn-errortype': 'AccessDeniedException' }).end('{}');
    }
  };
}

function resultXml(action: string, result: string): string {
  return `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;
}

/** Queues are at these endpoints, too: the SDK asks a queue at its own URL. */
function stackXml({ Outputs = [], StackName, StackId, StackStatus }: Stack, url: string): string {
  const outputs = Outputs.map(({ OutputValue = '', ...output }) => {
    const value = OutputValue.replace(/^https:\/\/sqs\.[^/]+/, url);
    return `<member>${elements({ ...output, OutputValue: value })}</member>`;
  });
  return `<member>${elements({ StackName, StackId, StackStatus })}<Outputs>${outputs.join('')}</Outputs></member>`;
}

function elements(members: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(members)
    .map(([name, text = '']) => `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`)
    .join('');
}
