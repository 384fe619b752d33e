import type { IncomingMessage } from 'node:http';

/** The body as text, or undefined if it exceeds the bound (the rest is left unread). */
export async function readBody(request: IncomingMessage, bound = 65_536): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bound) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
