/** The problem documents of the API's errors (specification, Errors). */
import { readBody } from './http.ts';

export interface Problem {
  readonly type: string | undefined;
  readonly detail: string | undefined;
}

const MAX_BYTES = 65_536;
const MAX_TEXT = 300;

/** Never throws: an error whose body cannot be read is still told by its status. */
export async function readProblem(response: Response): Promise<Problem> {
  const body = await readBody(response, MAX_BYTES).catch(() => Buffer.alloc(0));
  const document = parse(body.toString());
  return { type: short(document['type']), detail: short(document['detail'] ?? document['title']) };
}

/** The specification promises the end of `type` only. */
export function hasSuffix(problem: Problem, suffix: string): boolean {
  return (
    problem.type === suffix || problem.type?.endsWith(`/${suffix}`) || problem.type?.endsWith(`:${suffix}`) || false
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** One line, bounded: it becomes part of a message. */
function short(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').slice(0, MAX_TEXT) : undefined;
}
