/** Rows as trees, so that one can be written in several styles. */
import fc from 'fast-check';
import { rowLine } from '../../../../lambda/core/event.ts';
import type { Row } from '../../../../lambda/core/row.ts';
import { json, type Member, memberName } from './json-text.ts';
import { type AnyStream, ASSETS, CONTEXT } from './streams.ts';

export const lineOf = (row: Row, stream: AnyStream = ASSETS): string =>
  rowLine({ row, stream, sequence: '00000000010000000001', revision: '', known: false }, CONTEXT);
/** The text of `row` in an event line: it is the last member, and inside strings quotes are escaped. */
export const rowTextOf = (line: string): string => line.slice(line.indexOf(',"row":') + ',"row":'.length, -1);

const READ_MEMBERS = ['id', 'stream_position', 'updated_at', 'deleted', 'deleted_at', 'asset_id'];
const others = fc.array(
  fc.tuple(
    memberName.filter(name => !READ_MEMBERS.includes(name)),
    json,
  ),
  { maxLength: 6 },
);
export const rowTree = fc
  .tuple(fc.string({ minLength: 1, unit: 'binary', maxLength: 8 }), others, fc.nat())
  .map(([id, members, at]): { readonly members: readonly Member[] } => {
    const named = [...members];
    named.splice(at % (members.length + 1), 0, ['id', { string: id }]);
    return { members: named };
  });
