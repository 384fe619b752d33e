import type { OcsfFields } from '../../lambda/core/ocsf/attributes.ts';
import { compileFields, type OcsfFieldsOption } from '../../lib/ocsf/compile-fields.ts';

/** A mapping that reaches every kind of attribute: each type, lists, enums, objects with rules of their own. */
export const WIDE_MAPPING = {
  hostname: 'device.hostname',
  ip: 'device.ip',
  mac: 'device.mac',
  subnet: 'device.subnet',
  uuid: 'device.os_machine_uuid',
  seen: 'device.last_seen_time',
  managed: 'device.is_managed',
  imeis: 'device.imei_list',
  kind: 'device.type_id',
  os: 'device.os.name',
  osBits: 'device.os.cpu_bits',
  cores: 'device.hw_info.cpu_cores',
  team: 'device.owner.name',
  email: 'device.owner.email_addr',
  lat: 'device.location.lat',
  city: 'device.location.city',
  severity: 'severity_id',
  message: 'message',
  threats: {
    title: 'finding_info.title',
    types: 'finding_info.types',
    score: 'risk_score',
    risk: 'risk_level_id',
    confidence: 'confidence_score',
    advisory: 'finding_info.analytic.name',
    analytic: 'finding_info.analytic.type_id',
  },
  'dns-blocks': {
    domain: 'query.hostname',
    type: 'query.type',
    client: 'src_endpoint.ip',
    port: 'src_endpoint.port',
    rcode: 'rcode_id',
    rule: 'firewall_rule.name',
  },
} as const;

/** What the function would get of a mapping without faults. */
export function compiledFields(option: OcsfFieldsOption): OcsfFields {
  const { compiled, faults } = compileFields(option);
  if (faults.length > 0) throw new Error(faults.map(({ path, reason }) => `${path} ${reason}`).join('; '));
  return compiled as OcsfFields;
}
