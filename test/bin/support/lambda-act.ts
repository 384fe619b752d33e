import type { Connector } from '../../lambda/support/connector.ts';
import { type Act, json } from '../../lambda/support/http-stand.ts';

/** Lambda with one function, which really runs: its invocation and its settings, as they are on the wire. */
export function lambdaAct(name: string, connector: Connector): Act {
  const path = `/2015-03-31/functions/${name}`;
  return async (response, request) => {
    const { method, target, body } = request;
    if (method === 'POST' && target === `${path}/invocations`) {
      return (await invoked(connector, JSON.parse(body)))(response, request);
    }
    if (method === 'GET' && target === `${path}/configuration`) {
      const settings = { FunctionName: name, Environment: { Variables: connector.environment } };
      return json(200, settings)(response, request);
    }
    return noSuchFunction(response, request);
  };
}

const noSuchFunction = json(
  404,
  { Type: 'User', Message: 'Function not found' },
  { 'x-amzn-errortype': 'ResourceNotFoundException' },
);

/** An error of the function is an answer of Lambda's, with a header that says so. */
async function invoked(connector: Connector, payload: unknown): Promise<Act> {
  try {
    return json(200, await connector.run(payload));
  } catch (error) {
    const { name, message } = error as Error;
    return json(200, { errorType: name, errorMessage: message, trace: [] }, { 'x-amz-function-error': 'Unhandled' });
  }
}
