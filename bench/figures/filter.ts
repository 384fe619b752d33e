/** What a filter adds to a row. */
import { rowCut } from '../../lambda/core/row.ts';
import { rowSelection } from '../../lambda/filters.ts';
import { streamOf } from '../../lambda/streams.ts';
import { sha256 } from '../../lambda/system.ts';
import type { Figure } from '../figure.ts';
import { compare, eachStream, textsOf } from './row-cpu.ts';

/** As tenants write them: one comparison, and several with a function. */
const EXPRESSIONS = {
  comparison: "severity != 'low'",
  'four terms': "severity != 'low' && !starts_with(not_null(name, ''), 'test-') && (score > `3` || kind == 'x')",
};

export const filterCpu: Figure = {
  name: 'filter',
  title: 'CPU per row that a filter evaluates; floor: JSON.parse of the row, which it includes',
  measure: size =>
    eachStream(async stream => {
      const texts = textsOf(stream, size);
      const floor = () => {
        for (const text of texts) JSON.parse(text);
      };
      const measured = [];
      for (const [name, filter] of Object.entries(EXPRESSIONS)) {
        const facts = streamOf(stream);
        const selection = rowSelection({ filter }, `/v1/${stream}`, rowCut(facts, 'asset_id'), sha256)!;
        const work = async () => {
          for (const text of texts) selection.filter(text);
        };
        const measurement = await compare({ stream, size, work, floor });
        measured.push({ ...measurement, subject: `${stream}, ${name}` });
      }
      return measured;
    }),
};
