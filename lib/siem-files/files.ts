/** Every file of `siem/`, by its path below it. `npm run siem -- --write` writes them, a test holds them. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crowdstrikeFiles } from './crowdstrike.ts';
import { elasticFiles } from './elastic.ts';
import { GENERATED, NOT_FOR, SILENCE_MINUTES } from './event-facts.ts';
import { googleSecOpsFiles } from './google-secops.ts';
import { opensearchFiles } from './opensearch.ts';
import { sentinelFiles } from './sentinel.ts';
import { sigmaFiles } from './sigma.ts';
import { splunkFiles } from './splunk.ts';

export const SIEM_FOLDER = path.join(import.meta.dirname, '..', '..', 'siem');

const README = `# Files for SIEMs

${GENERATED}

Deploy them as they are, after filling in each \`<…>\`. Each file's comment says what it needs.

| Folder | What it holds | Page |
| --- | --- | --- |
| [elastic](elastic) | Index template, Filebeat input, ingest pipeline, queries | [Elastic](../docs/siem/elastic.md) |
| [opensearch](opensearch) | Index templates, OpenSearch Ingestion pipeline with an index of what exists now, queries | [Amazon OpenSearch Service](../docs/siem/opensearch.md) |
| [sentinel](sentinel) | ARM template: table, data collection rule, functions, connector; queries | [Microsoft Sentinel](../docs/siem/sentinel.md) |
| [splunk](splunk) | App, input of the add-on | [Splunk](../docs/siem/splunk.md) |
| [crowdstrike](crowdstrike) | Parser, queries. Not run | [CrowdStrike](../docs/siem/crowdstrike.md) |
| [google-secops](google-secops) | Parser, queries. Not run | [Google SecOps](../docs/siem/google-secops.md) |
| [sigma](sigma) | Detections, and the names of their fields in each SIEM | |

${NOT_FOR.join('\n')}

\`npm run test:siem\` runs what can be run here ([docs/testing.md](../docs/testing.md)).

Sigma has no rule for silence, because a rule without events never runs. The query for "no events for ${SILENCE_MINUTES} minutes" is in each folder.
`;

export function siemFiles(): ReadonlyMap<string, string> {
  const all = {
    'README.md': README,
    ...elasticFiles(),
    ...opensearchFiles(),
    ...sentinelFiles(),
    ...splunkFiles(),
    ...crowdstrikeFiles(),
    ...googleSecOpsFiles(),
    ...sigmaFiles(),
  };
  return new Map(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What is on the disk now. */
export function writtenFiles(folder: string = SIEM_FOLDER): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();
  return new Map(names.map(name => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

if (import.meta.main) {
  const write = process.argv.includes('--write');
  const files = siemFiles();
  if (write) rmSync(SIEM_FOLDER, { recursive: true, force: true });
  for (const [name, text] of files) {
    process.stdout.write(`siem/${name}\n`);
    if (!write) continue;
    const file = path.join(SIEM_FOLDER, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  if (!write) process.stdout.write('Nothing was written: add --write.\n');
}
