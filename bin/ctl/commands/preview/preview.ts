/** What a changed selection of rows would withdraw and send, before it is deployed. */
import { Command } from 'commander';
import type { StreamName } from '../../../../lambda/streams.ts';
import { openAccess } from '../../access.ts';
import { help, type Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { Outcome } from '../../report.ts';
import { compare } from '../verify/compare.ts';
import { selectionIn, templateOf } from './template.ts';

export function previewCommand(run: Run): Command {
  return new Command('preview')
    .description('say what changed filters would withdraw and send, before they are deployed')
    .option('--template <file>', 'template of the stack, as "cdk synth" writes it (default: the one in cdk.out)')
    .addHelpText('after', help(MEANING, 'preview', 'preview --template cdk.out/Security.template.json --json'))
    .action(run(preview));
}

const MEANING = `First change the configuration and run "npx cdk synth --quiet". The command takes filters, omitted members and dnsBlocksSince from the
template, everything else from the deployed connector. It reads the whole table and the API's lists once, like verify, and
counts what the next run would withdraw and send, also what it would send without the change. Nothing is sent or saved.
Of DNS blocks no row state exists: a change applies to blocks that are read from then on.`;

/** @throws RefusedError, AwsCallError; as the API's client does */
async function preview(context: Context, { template: given }: { readonly template?: string }): Promise<Outcome> {
  const { connector } = await context.deployment();
  const template = templateOf(given, connector);
  const { variables, different } = selectionIn(template, await context.environment());
  const access = await openAccess(context, { variables });
  const streams = (await compare(context, access, access.streams)).map(({ stream, rows, withheld, found, live }) => {
    const withdrawn = found.filter(({ kind }) => kind === 'unfiltered').length;
    const sent = found.filter(({ kind }) => kind !== 'unfiltered' && kind !== 'ghost').length;
    return [stream.name, { rowsListed: rows, rowsExcluded: withheld, siemHas: live ?? null, withdrawn, sent }] as const;
  });
  const title =
    different.length > 0
      ? `${template.file} changes ${different.join(', ')}. The first run after the deployment:`
      : `${template.file} selects the rows that the deployed connector selects. The next run, without a deployment:`;
  return {
    text: [title, '', ...streams.map(([stream, counts]) => sentence(stream, counts))].join('\n'),
    json: { template: template.file, changed: different, streams: Object.fromEntries(streams) },
  };
}

interface StreamPreview {
  readonly rowsListed: number;
  readonly rowsExcluded: number;
  /** Null for a stream without row states. */
  readonly siemHas: number | null;
  readonly withdrawn: number;
  readonly sent: number;
}

function sentence(stream: StreamName, { rowsListed, rowsExcluded, siemHas, withdrawn, sent }: StreamPreview): string {
  const name = stream === 'dns-blocks' ? 'DNS blocks' : stream;
  const applies = `${rowsExcluded} of ${rowsListed} ${name} at the API are excluded`;
  return siemHas === null
    ? `  ${applies}. None is withdrawn: the change applies to those that are read from then on.`
    : `  ${withdrawn} of ${siemHas} ${name} would be withdrawn, ${sent} would be sent. ${applies}.`;
}
