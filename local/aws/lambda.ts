import {
  type JsonObject,
  MISSING_REST_TOKEN,
  readRestAddress,
  restRefusal,
  restReply,
  unknownOperation,
} from './protocols.ts';
import { AwsError, arn, type Operation, type Place } from './service.ts';
import type { Reply, Service, WireRequest } from './wire.ts';

export interface LocalFunction {
  readonly name: string;
  /** As `GetFunctionConfiguration` answers, but for name and ARN. Read at every call. */
  readonly configuration: () => JsonObject;
  /** One invocation. What it throws is the function's error. */
  readonly invoke: (payload: unknown) => Promise<unknown>;
}

export interface LambdaOptions extends Place {
  readonly functions: readonly LocalFunction[];
}

interface LambdaOperation extends Operation {
  /** Name, or a whole or partial ARN. */
  readonly asked: string;
}

/** Lambda with functions that run in this process. Invocations are synchronous. */
export function createLambda(options: LambdaOptions): Service<LambdaOperation> {
  return {
    name: 'lambda',
    unsigned: MISSING_REST_TOKEN,
    understand(request) {
      const { path } = readRestAddress(request);
      const [version, functions, asked = '', what] = path;
      const action = actionOf(request.method, what);
      if (version !== '2015-03-31' || functions !== 'functions' || path.length !== 4 || !action) {
        throw unknownOperation(request);
      }
      const permission = `lambda:${action === 'Invoke' ? 'InvokeFunction' : action}`;
      return { action, permission, resource: functionArn(options, nameOf(asked)), asked };
    },
    async perform({ action, asked, resource }, request) {
      const name = nameOf(asked);
      const found = options.functions.find(each => each.name === name);
      if (!found) throw new AwsError(404, 'ResourceNotFoundException', `Function not found: ${resource}`);
      if (action === 'Invoke') return invoke(found, request);
      return restReply({ FunctionName: name, FunctionArn: resource, ...found.configuration() });
    },
    refusal: restRefusal,
  };
}

const LARGEST_PAYLOAD_BYTES = 6 * 1024 * 1024;

async function invoke(lambda: LocalFunction, { headers, body }: WireRequest): Promise<Reply> {
  const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
  if (type !== 'RequestResponse') {
    throw new AwsError(400, 'InvalidParameterValueException', `This endpoint has no ${type} invocations.`);
  }
  if (body.length > LARGEST_PAYLOAD_BYTES) {
    const message = `Request must be smaller than ${LARGEST_PAYLOAD_BYTES} bytes for the InvokeFunction operation`;
    throw new AwsError(413, 'RequestTooLargeException', message);
  }
  const payload = readPayload(body);
  try {
    return payloadReply(await lambda.invoke(payload));
  } catch (error) {
    const reply = payloadReply(errorPayload(error));
    return { ...reply, headers: { ...reply.headers, 'x-amz-function-error': 'Unhandled' } };
  }
}

function readPayload(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString() || '{}');
  } catch (cause) {
    const message = `Could not parse request body into json: Could not parse payload into json: ${String(cause)}`;
    throw new AwsError(400, 'InvalidRequestContentException', message, { cause });
  }
}

function payloadReply(result: unknown): Reply {
  const headers = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST' };
  return { status: 200, headers, body: JSON.stringify(result ?? null) };
}

/** As Lambda's Node runtime writes it. A function may run in another realm, so `instanceof Error` does not work. */
function errorPayload(error: unknown): { errorType: string; errorMessage: string; trace: string[] } {
  const { name, message, stack } = (typeof error === 'object' && error !== null ? error : {}) as Partial<Error>;
  if (name === undefined || message === undefined) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  return { errorType: name, errorMessage: message, trace: stack?.split('\n') ?? [] };
}

function actionOf(method: string, what: string | undefined): 'Invoke' | 'GetFunctionConfiguration' | undefined {
  if (method === 'POST' && what === 'invocations') return 'Invoke';
  return method === 'GET' && what === 'configuration' ? 'GetFunctionConfiguration' : undefined;
}

/** `name`, `account:function:name` or a whole ARN, each perhaps with `:$LATEST`. */
function nameOf(asked: string): string {
  return /^(?:.*:?function:)?([^:]+)(?::\$LATEST)?$/.exec(asked)?.[1] ?? asked;
}

function functionArn(place: Place, name: string): string {
  return arn(place, 'lambda', `function:${name}`);
}
