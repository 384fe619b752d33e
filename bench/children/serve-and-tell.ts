import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of this machine, and prints the URL as JSON. */
export function serveAndTell(listener: RequestListener): void {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
