/** What a changed selection of rows would withdraw and send, before it is deployed. */
import { Command } from 'commander';
import type { StreamName } from '../../../../lambda/streams.ts';
import { openAccess } from '../../access.ts';
import { examples, type Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { Outcome } from '../../report.ts';
import { type Comparison, compare } from '../verify/compare.ts';
import { selectionIn, type TemplateSelection, templateOf } from './template.ts';

export function previewCommand(run: Run): Command {
  return new Command('preview')
    .description('say what changed filters would withdraw and send, before they are deployed')
    .option('--template <file>', 'template of the stack, as "cdk synth" writes it (default: the one in cdk.out)')
    .addHelpText(
      'after',
      `\n${MEANING}\n${examples('preview', 'preview --template cdk.out/Security.template.json --json')}`,
    )
    .action(run(preview));
}

const MEANING = `First change the configuration and run "npx cdk synth --quiet". The command takes filters, omitted members and dnsBlocksSince from the
template, everything else from the deployed connector. It reads the whole table and the API's lists once, like verify, and
counts what the next run would withdraw and send, also what it would send without the change. Nothing is sent or saved.
Of DNS blocks no row state exists: a change applies to blocks that are read from then on.`;

interface PreviewOptions {
  readonly template?: string;
}

export interface StreamPreview {
  readonly stream: StreamName;
  /** Rows that the SIEM has. Undefined for a stream without row states. */
  readonly has: number | undefined;
  readonly withdrawn: number;
  readonly sent: number;
  /** Rows that the API lists and the filter excludes. */
  readonly excluded: number;
  readonly listed: number;
}

/** @throws RefusedError, AwsCallError; as the API's client does */
async function preview(context: Context, { template }: PreviewOptions): Promise<Outcome> {
  const { connector } = await context.deployment();
  const selection = selectionIn(templateOf(template, connector), await context.environment());
  const access = await openAccess(context, { variables: selection.changed });
  const comparisons = await compare(context, access, access.streams);
  return previewOutcome(comparisons.map(previewOf), selection);
}

function previewOf({ stream, rows, withheld, found, live }: Comparison): StreamPreview {
  const withdrawn = found.filter(({ kind }) => kind === 'unfiltered').length;
  const sent = found.filter(({ kind }) => kind !== 'unfiltered' && kind !== 'ghost').length;
  return { stream: stream.name, has: live, withdrawn, sent, excluded: withheld, listed: rows };
}

function previewOutcome(streams: readonly StreamPreview[], { file, different }: TemplateSelection): Outcome {
  return {
    text: [
      different.length > 0
        ? `${file} changes ${different.join(', ')}. The first run after the deployment:`
        : `${file} selects the rows that the deployed connector selects. The next run, without a deployment:`,
      '',
      ...streams.map(sentence),
    ].join('\n'),
    json: {
      template: file,
      changed: different,
      streams: Object.fromEntries(
        streams.map(({ stream, has = null, withdrawn, sent, excluded, listed }) => [
          stream,
          { rowsListed: listed, rowsExcluded: excluded, siemHas: has, withdrawn, sent },
        ]),
      ),
    },
  };
}

function sentence({ stream, has, withdrawn, sent, excluded, listed }: StreamPreview): string {
  const applies = `${excluded} of ${listed} ${nameOf(stream)} at the API are excluded`;
  return has === undefined
    ? `  ${applies}. None is withdrawn: the change applies to those that are read from then on.`
    : `  ${withdrawn} of ${has} ${nameOf(stream)} would be withdrawn, ${sent} would be sent. ${applies}.`;
}

function nameOf(stream: StreamName): string {
  return stream === 'dns-blocks' ? 'DNS blocks' : stream;
}
