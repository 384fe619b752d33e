/** What Firehose's partitioning makes of a line, on jq itself. */
import { describe, expect, test } from '@jest/globals';
import { raw } from 'jq-wasm';
import { envelope } from '../../../lambda/core/event.ts';
import { ocsfFormat } from '../../../lambda/core/ocsf/format.ts';
import { STREAMS } from '../../../lambda/streams.ts';
import { CONTEXT, rowOf } from '../../lambda/core/support/streams.ts';
import { only, synthesize } from '../synth.ts';
import { VARIANTS } from '../variants.ts';

interface Processor {
  readonly Type: string;
  readonly Parameters?: readonly { readonly ParameterName: string; readonly ParameterValue: string }[];
}

const FORMATS = [
  ['the envelope', envelope],
  ['OCSF', ocsfFormat({ parentMember: 'asset_id', fields: {} })],
] as const;

/** A row that says that it is of another stream. */
const MEMBERS = '"updated_at":null,"stream":"its own","metadata":{"log_name":"its own"},"asset_id":"a"';

function queryOf(options: object): string {
  const { ProcessingConfiguration: processing } = only(
    synthesize({ ...options }),
    'AWS::KinesisFirehose::DeliveryStream',
  )['ExtendedS3DestinationConfiguration'] as { ProcessingConfiguration: { Processors: readonly Processor[] } };
  const extraction = processing.Processors.find(({ Type }) => Type === 'MetadataExtraction');
  return extraction!.Parameters!.find(({ ParameterName }) => ParameterName === 'MetadataExtractionQuery')!
    .ParameterValue;
}

describe.each(FORMATS)('delivery by stream finds in %s the stream', (_, format) => {
  test.each(STREAMS.map(stream => [stream.name, stream] as const))(
    '%s, of a line of every kind',
    async (name, stream) => {
      const row = rowOf(`{"id":"x","stream_position":"p",${MEMBERS}}`, stream);
      const removed = rowOf(`{"id":"x","deleted":true,"deleted_at":null,"stream_position":"p",${MEMBERS}}`, stream);
      const sequence = '00000010420000000001';
      const sending = { row, stream, sequence, revision: '', known: false };
      const cause = { id: 'a', deletedAt: undefined, position: '"p"' };
      const lines = [
        format.row(sending, CONTEXT),
        format.oversize(sending, CONTEXT, 's3://bucket/dead-letter'),
        ...('cascadesFrom' in stream ? [format.withdrawn('x', cause, stream, sequence, CONTEXT)] : []),
        ...(stream.tombstones ? [format.row({ ...sending, row: removed }, CONTEXT)] : []),
      ];
      const { stdout, stderr } = await raw(lines.join('\n'), queryOf(VARIANTS.byStream), ['-c']);
      expect([stdout.trim().split('\n'), stderr]).toEqual([lines.map(() => JSON.stringify({ stream: name })), '']);
    },
  );
});
