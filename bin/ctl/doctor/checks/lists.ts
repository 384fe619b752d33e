/** Each list, read as a run reads it: one row, of which nothing is kept. */

import { ApiRefusedError } from '../../../../lambda/core/errors.ts';
import type { PageContent } from '../../../../lambda/core/page.ts';
import { readRow } from '../../../../lambda/core/row.ts';
import { STREAMS, type Stream, type StreamName } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import { type Check, type Finding, fail, ok, skipped, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

export const lists: readonly Check<DoctorContext>[] = STREAMS.map(({ name }) => ({
  name: `list-${name}`,
  needs: ['token'],
  look: context => listFinding(context, name),
}));

async function listFinding(context: DoctorContext, name: StreamName): Promise<Finding> {
  try {
    const page = await context.firstPage(name);
    return page ? pageFinding(page, name) : skipped(`the stream is off: ${optionOf(name)} is not set`);
  } catch (error) {
    if (!(error instanceof ApiRefusedError) || error.status !== 404) throw error;
    return fail(`the API knows no such path (404)`, `Set ${optionOf(name)} in cdk.json right, and deploy again.`);
  }
}

/** The option that says where the list is. */
function optionOf(name: StreamName): string {
  const stream: Stream = STREAMS.find(each => each.name === name)!;
  return stream.pathOption ?? 'baseUrl';
}

function pageFinding({ rows, names }: PageContent, name: StreamName): Finding {
  const pagination = names.pagination === '' ? 'the answer itself' : `"${names.pagination}"`;
  const [row] = rows;
  if (!row) return ok(`readable, and empty; pagination in ${pagination}, the rows’ member shows with the first row`);
  const stream = STREAMS.find(each => each.name === name)!;
  const text = `readable; rows in "${names.rows}", pagination in ${pagination}`;
  const read = readRow(row, stream, sha256);
  if ('reason' in read)
    return warn(`${text}; the first row is no event (${read.reason})`, 'See the runbook on dead-letters.');
  if (read.time !== undefined) return ok(text);
  return warn(
    `${text}; the first row has no ${stream.timeMember}`,
    'Is this the path of that list? Its events would have no time.',
  );
}
