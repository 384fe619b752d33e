/** API and AWS as a sink that keeps nothing, so that its own work does not count. Prints its URL. */
import { pagesOf, servePages } from '../rows.ts';
import { awsAction, awsAnswer, bodyOf, serveAndPrint } from './serve.ts';

const count = Number(process.argv[2]);
const page = servePages({ assets: pagesOf('assets', count), threats: pagesOf('threats', count) });

serveAndPrint(async (request, response) => {
  const body = await bodyOf(request);
  const { pathname, searchParams } = new URL(request.url!, 'http://sink');
  const action = awsAction(request);
  response.setHeader('content-type', 'application/json');
  if (action !== undefined) response.end(awsAnswer(action, body));
  else if (pathname.endsWith('/token')) {
    response.end('{"access_token":"token","token_type":"Bearer","expires_in":300}');
  } else response.end(page(pathname, searchParams.get('cursor')));
});
