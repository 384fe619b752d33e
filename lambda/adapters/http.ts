/** Bodies of HTTP answers, bounded and decoded without replacing a byte. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** `ECONNREFUSED` and the like, which fetch hides in causes; nothing when it was no connection that failed. */
export function networkCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}

/** The body exceeds the bound; it was not read to its end. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * @param bound in bytes
 * @throws BodyTooLargeError; TypeError when the bytes are not UTF-8, or the connection broke
 */
export async function readText(response: Response, bound: number): Promise<string> {
  const declared = Number(response.headers.get('content-length') ?? 0);
  if (declared > bound) {
    await response.body?.cancel();
    throw new BodyTooLargeError(`${declared} bytes`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > bound) throw new BodyTooLargeError(`more than ${bound} bytes`);
    parts.push(part);
  }
  // Half an answer that ends cleanly is half an answer all the same.
  const encoded = response.headers.has('content-encoding');
  if (!encoded && size < declared) throw new TypeError('The connection ended before the declared length');
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts, size));
}
