import type { Act } from './http-harness.ts';

/** Answers with the whole request, in every place that an answer has. */
export function echo(status: number, contentType = 'application/problem+json'): Act {
  return (response, { method, target, headers, body }) => {
    const sent = JSON.stringify({ method, target, headers, body });
    const line = sent.replace(/[^\x20-\x7e]/g, '?').slice(0, 4_000);
    response.writeHead(status, line, {
      'content-type': contentType,
      'x-echo': line,
      'x-amzn-errortype': line,
      'x-amzn-requestid': line,
      'www-authenticate': `Bearer realm="${line.replaceAll(/["\\]/g, '')}"`,
    });
    response.end(contentType.includes('xml') ? xml(sent) : JSON.stringify({ ...documentOf(sent), [sent]: sent }));
  };
}

function documentOf(sent: string): object {
  const words = ['__type', 'type', 'title', 'detail', 'message', 'Message', 'code', 'error', 'error_description'];
  return Object.fromEntries(words.map(word => [word, sent]));
}

function xml(sent: string): string {
  const text = sent.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<Error><Code>${text}</Code><Message>${text}</Message><RequestId>${text}</RequestId></Error>`;
}

/** Bytes that are not HTTP: the parser's error holds them. */
export const echoRaw: Act = (response, { headers, target, body }) => {
  response.socket?.end(`${headers.authorization} ${target} ${body}\r\n\r\n`);
};
