/** The app for Splunk. */
import { VERSION } from '../version.ts';
import {
  BURST,
  comment,
  GENERATED,
  GONE_KINDS,
  json,
  KEY,
  KINDS,
  NOT_FOR,
  quoted,
  SEVERITY,
  SILENCE_MINUTES,
  STATE_KINDS,
  STATE_STREAMS,
} from './event-facts.ts';
import { DASHBOARD_VIEW, NOT_GONE } from './splunk-dashboard.ts';

const APP = 'security_data_connector';
const SOURCE_TYPE = 'security:data:connector';
const COLLECTION = 'security_data_now';

/** The longest line with its line end, in bytes, and some room. */
const TRUNCATE = 1_100_000;

const HEADER = comment('#', [GENERATED, ...NOT_FOR]);

/** Without a leading character Splunk compares the digits as a number, which loses the last ones. */
const NEWEST = `| eval version="s".sequence."|".kind."|".event_id
| stats max(version) AS version BY ${KEY.join(' ')}`;
const TAKE_APART = String.raw`| rex field=version "^s(?<sequence>\d{20})\|(?<kind>\w+)\|(?<event_id>.+)$"`;

const PROPS = `${HEADER}
#
# Needed where the input runs, on the indexers and on the search heads.
[${SOURCE_TYPE}]
SHOULD_LINEMERGE = false
LINE_BREAKER = ([\\r\\n]+)
EVENT_BREAKER_ENABLE = true
EVENT_BREAKER = ([\\r\\n]+)
# The longest line of the connector is 1,000 KiB.
TRUNCATE = ${TRUNCATE}
# _time is forwarded_at: never null, never old.
TIME_PREFIX = "forwarded_at":"
MAX_TIMESTAMP_LOOKAHEAD = 24
TIME_FORMAT = %Y-%m-%dT%H:%M:%S.%3NZ
TZ = UTC
# The members before the row fit the 5,000 characters of extraction_cutoff, [spath] in limits.conf. The row may not.
KV_MODE = json
CHARSET = UTF-8
`;

const TRANSFORMS = `${HEADER}

[${COLLECTION}]
external_type = kvstore
collection = ${COLLECTION}
fields_list = _key, ${KEY.join(', ')}, version, sequence, kind, event_id
`;

const COLLECTIONS = `${HEADER}

# The newest event of each id, also of what is gone. Kept by the saved search "Security data - keep what exists now".
[${COLLECTION}]
${[...KEY, 'version', 'sequence', 'kind', 'event_id'].map(name => `field.${name} = string`).join('\n')}
accelerated_fields.kind = {"kind": 1, "stream": 1}
replicate = false
`;

const MACROS = `${HEADER}

# The index of the input. Change it in local/macros.conf.
[security_data_index]
definition = index=security_data

[security_data]
definition = \`security_data_index\` sourcetype="${SOURCE_TYPE}" kind IN (${quoted(KINDS)})

# A new threat counts as critical when this holds. The API promises neither the member nor its values.
[security_data_critical]
definition = row.${SEVERITY.member}="${SEVERITY.value}"
`;

const EVENT_TYPES = `${HEADER}

[security_data_asset]
search = \`security_data\` stream=assets

[security_data_threat]
search = \`security_data\` stream=threats kind IN ("upsert", "oversize")

[security_data_removal]
search = \`security_data\` kind IN (${quoted(GONE_KINDS)})

[security_data_dns_block]
search = \`security_data\` stream="dns-blocks"
`;

const TAGS = `${HEADER}

[eventtype=security_data_asset]
inventory = enabled

[eventtype=security_data_threat]
alert = enabled

[eventtype=security_data_removal]
change = enabled

[eventtype=security_data_dns_block]
network = enabled
resolution = enabled
dns = enabled
`;

interface SavedSearch {
  readonly name: string;
  readonly says: string;
  readonly spl: string;
  readonly settings?: readonly string[];
}

const EXISTING = `stream IN (${quoted(STATE_STREAMS)}) kind IN (${quoted(STATE_KINDS)})`;

const KEEP: SavedSearch = {
  name: 'Security data - keep what exists now',
  says:
    'Takes what was indexed in the last 65 minutes into the lookup, whatever its time. Only newer versions are written, ' +
    'so it may run twice, late or over a longer range.',
  spl: `\`security_data\` ${EXISTING}
${NEWEST}
| eval thing=sha256(${KEY.join('."/".')})
| lookup ${COLLECTION} _key AS thing OUTPUT version AS stored
| where isnull(stored) OR version>stored
${TAKE_APART}
| table thing ${KEY.join(' ')} version sequence kind event_id
| outputlookup append=true key_field=thing ${COLLECTION}`,
  settings: [
    'enableSched = 1',
    'cron_schedule = 7 * * * *',
    'dispatch.earliest_time = 0',
    'dispatch.latest_time = now',
    'dispatch.indexedRealtime = 0',
    'dispatch.index_earliest = -65m@m',
    'dispatch.index_latest = now',
  ],
};

const SEARCHES: readonly SavedSearch[] = [
  KEEP,
  {
    name: 'Security data - what exists now',
    says: 'From the lookup, which needs no history. The first run of the search above must have covered all time.',
    spl: `| inputlookup ${COLLECTION} where ${NOT_GONE}
| table ${KEY.join(' ')} sequence kind event_id`,
  },
  {
    name: 'Security data - what exists now, from the events',
    says: 'The same from the index, over all time. The kinds of removals are filtered after the newest is chosen.',
    spl: `\`security_data\` ${EXISTING}
${NEWEST}
${TAKE_APART}
| where NOT kind IN (${quoted(GONE_KINDS)})
| table ${KEY.join(' ')} sequence kind event_id`,
    settings: ['dispatch.earliest_time = 0', 'dispatch.latest_time = now'],
  },
  {
    name: 'Security data - events by day',
    says: 'Each event once. It must agree with npm run connectorctl -- counts.',
    spl: `\`security_data\`
| eval day=substr(forwarded_at, 1, 10)
| stats dc(event_id) AS events BY connector stream day`,
    settings: ['dispatch.earliest_time = -7d@d', 'dispatch.latest_time = now'],
  },
  {
    name: 'Security data - freshness',
    says: 'When the connector made the newest event of each stream.',
    spl: `\`security_data\`
| stats max(_time) AS newest BY connector stream
| eval minutes=round((now()-newest)/60)
| convert ctime(newest)`,
    settings: ['dispatch.earliest_time = -14d', 'dispatch.latest_time = now'],
  },
  {
    name: 'Security data - silence',
    says: `A connector without events for ${SILENCE_MINUTES} minutes. A quiet tenant needs more. Turn it on when the number fits.`,
    spl: `| tstats max(_time) AS newest WHERE \`security_data_index\` sourcetype="${SOURCE_TYPE}" BY index
| where newest<relative_time(now(), "-${SILENCE_MINUTES}m")`,
    settings: [
      'disabled = 0',
      'enableSched = 0',
      'cron_schedule = */15 * * * *',
      'dispatch.earliest_time = -14d',
      'dispatch.latest_time = now',
      'counttype = number of events',
      'relation = greater than',
      'quantity = 0',
      'alert.track = 1',
    ],
  },
  {
    name: 'Security data - new critical threats',
    says: 'New to this index and critical by the macro security_data_critical. A repeat has the same event_id and is left out.',
    spl: `\`security_data\` stream=threats kind=upsert NOT refresh=true \`security_data_critical\`
| dedup connector event_id
| table _time connector id asset_id time row.title row.${SEVERITY.member}`,
    settings: ['dispatch.earliest_time = -65m@m', 'dispatch.latest_time = now'],
  },
  {
    name: 'Security data - burst of withdrawals',
    says: `${BURST.events} withdrawals or more of a connector within ${BURST.minutes} minutes.`,
    spl: `\`security_data\` kind=withdrawn
| dedup connector event_id
| bin _time span=${BURST.minutes}m
| stats count AS withdrawals BY connector _time
| where withdrawals>=${BURST.events}`,
    settings: ['dispatch.earliest_time = -4h@h', 'dispatch.latest_time = now'],
  },
];

function savedSearches(): string {
  const stanzas = SEARCHES.map(({ name, says, spl, settings = [] }) =>
    [
      `[${name}]`,
      `description = ${says}`,
      `search = ${spl.replaceAll('\n', ' \\\n')}`,
      ...settings.map(each => each),
    ].join('\n'),
  );
  return `${HEADER}\n\n${stanzas.join('\n\n')}\n`;
}

const INPUTS = `${comment('#', [
  'For the Splunk Add-on for AWS, on the instance that runs its inputs. Not part of the app: copy it there and fill it in.',
  GENERATED,
  ...NOT_FOR,
  'An add-on without using_dlq ignores it. With it, the add-on refuses a queue that has no dead-letter queue; the stack has one.',
])}
[aws_sqs_based_s3://security-data-connector]
aws_account = <account of the add-on>
aws_iam_role = <role entry of the add-on>
using_dlq = 1
sqs_queue_url = <SiemQueueUrl>
sqs_queue_region = <SiemRegion>
s3_file_decoder = CustomLogs
sourcetype = ${SOURCE_TYPE}
index = security_data
interval = 300
`;

const APP_CONF = `${comment('#', [GENERATED])}
[install]
is_configured = false

[ui]
is_visible = true
label = Security Data Connector

[launcher]
author = Security Data Connector
description = Assets, threats and DNS blocks of one organization: source type, what exists now, searches and a dashboard.
version = ${VERSION}

[package]
id = ${APP}
check_for_updates = false

[id]
name = ${APP}
version = ${VERSION}
`;

const MANIFEST = {
  schemaVersion: '2.0.0',
  info: {
    title: 'Security Data Connector',
    id: { group: null, name: APP, version: VERSION },
    author: [{ name: 'Security Data Connector', email: null, company: null }],
    releaseDate: null,
    description: 'Assets, threats and DNS blocks of one organization.',
    classification: { intendedAudience: 'Security', categories: ['Security'], developmentStatus: 'Production/Stable' },
    license: { name: 'Apache-2.0', text: null, uri: 'https://www.apache.org/licenses/LICENSE-2.0' },
  },
  dependencies: null,
  tasks: null,
  inputGroups: null,
  incompatibleApps: null,
  platformRequirements: { splunk: { Enterprise: '>=9.0' } },
  supportedDeployments: ['_standalone', '_distributed', '_search_head_clustering'],
  targetWorkloads: ['_search_heads', '_indexers', '_forwarders'],
};

const NAVIGATION = `<nav search_view="search">
  <view name="security_data" default="true" />
  <view name="search" />
  <view name="reports" />
</nav>
`;

const METADATA = `[]
access = read : [ * ], write : [ admin, sc_admin ]
export = none

[props]
export = system

[transforms]
export = system
`;

const README = `# Security Data Connector for Splunk

${GENERATED}

Source type \`${SOURCE_TYPE}\`, the lookup \`${COLLECTION}\` of the newest event of each id, searches and a dashboard. Set the index in
\`local/macros.conf\`. Run "${KEEP.name}" once over all time; then its schedule keeps the lookup.

Splunk 9.0 or later. An older one cannot show the dashboard. Everything else works.
`;

export function splunkFiles(): Record<string, string> {
  const inApp = {
    'README.md': README,
    'app.manifest': json(MANIFEST),
    'default/app.conf': APP_CONF,
    'default/props.conf': PROPS,
    'default/transforms.conf': TRANSFORMS,
    'default/collections.conf': COLLECTIONS,
    'default/macros.conf': MACROS,
    'default/eventtypes.conf': EVENT_TYPES,
    'default/tags.conf': TAGS,
    'default/savedsearches.conf': savedSearches(),
    'default/data/ui/nav/default.xml': NAVIGATION,
    'default/data/ui/views/security_data.xml': DASHBOARD_VIEW,
    'metadata/default.meta': METADATA,
  };
  return {
    'splunk/inputs.conf': INPUTS,
    ...Object.fromEntries(Object.entries(inApp).map(([name, text]) => [`splunk/${APP}/${name}`, text])),
  };
}
