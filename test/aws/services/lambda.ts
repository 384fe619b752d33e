import { AwsError, arn, type Operation, type ResourcePlace, type WireRequest } from '../../../local/aws/service.ts';
import {
  type JsonObject,
  MISSING_REST_TOKEN,
  readRestAddress,
  restRefusal,
  restReply,
  unknownOperation,
} from '../protocols.ts';
import type { Reply, Service } from '../wire.ts';

export interface LocalFunction {
  readonly name: string;
  /** As `GetFunctionConfiguration` answers, but for name and ARN. Read at every call. */
  readonly configuration: () => JsonObject;
  /** One invocation. What it throws is the function's error. */
  readonly invoke: (payload: unknown) => Promise<unknown>;
}

export interface LambdaOptions extends ResourcePlace {
  readonly functions: readonly LocalFunction[];
}

interface LambdaOperation extends Operation {
  /** Name of the function. */
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
      return { action, permission, resource: arn(options, 'lambda', `function:${asked}`), asked };
    },
    async perform({ action, asked, resource }, request) {
      const found = options.functions.find(each => each.name === asked);
      if (!found) throw new AwsError(404, 'ResourceNotFoundException', `Function not found: ${resource}`);
      if (action === 'Invoke') return invoke(found, request);
      return restReply({ FunctionName: asked, FunctionArn: resource, ...found.configuration() });
    },
    refusal: restRefusal,
  };
}

async function invoke(lambda: LocalFunction, { body }: WireRequest): Promise<Reply> {
  try {
    return payloadReply(await lambda.invoke(JSON.parse(body.toString() || '{}')));
  } catch (error) {
    const reply = payloadReply(errorPayload(error));
    return { ...reply, headers: { ...reply.headers, 'x-amz-function-error': 'Unhandled' } };
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
