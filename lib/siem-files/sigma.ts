/** Detections in Sigma, and how their fields are called in each SIEM. */
import { BURST, comment, GENERATED, HEAD, NOT_FOR, SEVERITY } from './event-facts.ts';
import { COLUMNS, TABLE } from './kusto.ts';

const LOG_SOURCE = `logsource:
  product: security_data_connector
  service: events`;

const HEADER = comment('#', [GENERATED, ...NOT_FOR]);

const CRITICAL_THREAT = `${HEADER}
#
# The API promises neither the member row.${SEVERITY.member} nor its values: change both. Without the member the rule never fires.
# It fires for each version of a critical threat, and with refreshDays for each refresh (refresh: true): suppress by connector and id, or use the queries of the SIEM, which know what is new.
title: Critical threat of an asset
id: 6d0e2f0a-6f0e-4b0e-9a53-0e1f5c1a9d01
status: experimental
description: A threat is new, has changed or is back, and its row says that it is ${SEVERITY.value}.
author: Security Data Connector
date: 2026-11-22
${LOG_SOURCE}
detection:
  selection:
    stream: threats
    kind: upsert
    row.${SEVERITY.member}: ${SEVERITY.value}
  condition: selection
fields:
  - connector
  - id
  - asset_id
falsepositives:
  - Changes of a threat that is known
level: high
`;

const ASSET_REMOVED = `${HEADER}
title: Asset removed
id: 6d0e2f0a-6f0e-4b0e-9a53-0e1f5c1a9d02
status: experimental
description: An asset left the inventory. Its threats are withdrawn soon after.
author: Security Data Connector
date: 2026-11-22
${LOG_SOURCE}
detection:
  selection:
    stream: assets
    kind: tombstone
  condition: selection
fields:
  - connector
  - id
falsepositives:
  - Assets that are taken out of service
level: low
`;

const THREAT_WITHDRAWN = `${HEADER}
title: Threat withdrawn with its asset
name: threat_withdrawn
id: 6d0e2f0a-6f0e-4b0e-9a53-0e1f5c1a9d03
status: experimental
description: A threat disappeared with its removed asset. It was not fixed.
author: Security Data Connector
date: 2026-11-22
${LOG_SOURCE}
detection:
  selection:
    stream: threats
    kind: withdrawn
  condition: selection
level: informational
`;

const BURST_OF_WITHDRAWALS = `${HEADER}
#
# A correlation over ../events/threat-withdrawn.yml. The backends for Kusto, Lucene and LogScale know none: use the query of siem/sentinel and
# siem/crowdstrike there. The number and the timespan are defaults: change them.
title: Burst of withdrawals
id: 6d0e2f0a-6f0e-4b0e-9a53-0e1f5c1a9d04
status: experimental
description: Many threats of one organization were withdrawn at once, because many assets were removed.
author: Security Data Connector
date: 2026-11-22
correlation:
  type: event_count
  rules:
    - threat_withdrawn
  group-by:
    - connector
  timespan: ${BURST.minutes}m
  condition:
    gte: ${BURST.events}
falsepositives:
  - A site that is closed
  - A filter of the connector that was changed, whose events have the reason filtered
level: medium
`;

interface Target {
  readonly name: string;
  readonly notes: readonly string[];
  readonly fieldOf: (member: string) => string;
  readonly severity: string;
  /** Transformations of its own. */
  readonly more?: string;
  readonly post?: string;
}

/** The backend quotes a name with a dot, which would make it a text. */
const ROW_SEVERITY = 'RowSeverity';

const TARGETS: readonly Target[] = [
  {
    name: 'splunk',
    notes: [
      'sigma convert -t splunk -p siem/sigma/pipelines/splunk.yml siem/sigma/rules',
      'Index and source type of the app in siem/splunk.',
    ],
    fieldOf: member => member,
    severity: `row.${SEVERITY.member}`,
    more: `  - id: source
    type: add_condition
    conditions:
      index: security_data
      sourcetype: "security:data:connector"`,
  },
  {
    name: 'elasticsearch',
    notes: [
      'sigma convert -t esql -p siem/sigma/pipelines/elasticsearch.yml siem/sigma/rules (or eql; lucene takes siem/sigma/rules/events only)',
      'Members of the row are the fields of siem/elastic/ingest-pipeline.json: without it, rules on them never fire.',
    ],
    fieldOf: member => `security_data.${member}`,
    severity: 'vulnerability.severity',
    more: `  - id: index
    type: set_state
    key: index
    val: logs-security_data.connector-*`,
  },
  {
    name: 'kusto',
    notes: [
      'sigma convert -t kusto -p siem/sigma/pipelines/kusto.yml siem/sigma/rules/events',
      `Table ${TABLE} of siem/sentinel.`,
    ],
    fieldOf: member => COLUMNS.find(each => each.member === member)!.name,
    severity: ROW_SEVERITY,
    post: `postprocessing:
  - type: embed
    prefix: "${TABLE} | extend ${ROW_SEVERITY} = tostring(Row.${SEVERITY.member}) | where "
`,
  },
  {
    name: 'crowdstrike',
    notes: [
      'sigma convert -t log_scale -p siem/sigma/pipelines/crowdstrike.yml siem/sigma/rules/events',
      'Fields of the parser in siem/crowdstrike.',
    ],
    fieldOf: member => member,
    severity: `row.${SEVERITY.member}`,
  },
];

function pipeline({ name, notes, fieldOf, severity, more, post = '' }: Target): string {
  const mapping = [...HEAD.map(member => [member.name, fieldOf(member.name)]), [`row.${SEVERITY.member}`, severity]];
  const lines = mapping.map(([from, to]) => `      ${from}: ${to}`);
  const missing = 'Without the plugin of the backend sigma knows no such target: sigma plugin install <name>.';
  return `${comment('#', [...notes, missing, GENERATED])}
name: security-data-connector-${name}
priority: 50
transformations:
  - id: fields
    type: field_name_mapping
    mapping:
${lines.join('\n')}
    rule_conditions:
      - type: logsource
        product: security_data_connector
${more === undefined ? '' : `${more}\n${CONDITION}`}${post}`;
}

const CONDITION = `    rule_conditions:
      - type: logsource
        product: security_data_connector
`;

export function sigmaFiles(): Record<string, string> {
  return {
    'sigma/rules/events/critical-threat.yml': CRITICAL_THREAT,
    'sigma/rules/events/asset-removed.yml': ASSET_REMOVED,
    'sigma/rules/events/threat-withdrawn.yml': THREAT_WITHDRAWN,
    'sigma/rules/correlations/burst-of-withdrawals.yml': BURST_OF_WITHDRAWALS,
    ...Object.fromEntries(TARGETS.map(target => [`sigma/pipelines/${target.name}.yml`, pipeline(target)])),
  };
}
