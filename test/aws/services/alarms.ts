import { alarmsInRule } from '../../../local/alarms/alarm-definitions.ts';
import { AwsError, arn, cutListPage, type ResourcePlace } from '../../../local/aws/service.ts';
import type { JsonObject } from '../protocols.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** An alarm by the members of `DescribeAlarms`. ARN, state and times are added. */
export interface AlarmDefinition {
  readonly type: 'MetricAlarm' | 'CompositeAlarm';
  readonly name: string;
  readonly members: JsonObject;
}

export interface AlarmControls {
  readonly names: readonly string[];
  /**
   * Composite alarms follow at once. A composite alarm may also be set directly, and keeps that state until one of its alarms is
   * set.
   *
   * @throws RangeError when there is no alarm of that name
   */
  set(name: string, state: AlarmState, reason?: string): void;
  /** As `DescribeAlarms` gives it. @throws RangeError */
  get(name: string): JsonObject;
}

export interface AlarmOptions extends ResourcePlace {
  readonly alarms: readonly AlarmDefinition[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Alarm extends AlarmDefinition {
  state: AlarmState;
  reason: string;
  changed: number;
  enabled: boolean;
}

/** The alarms of one account, initially OK. @throws RangeError for an unsupported rule of a composite alarm */
export function createAlarms(options: AlarmOptions) {
  const alarms = new Map<string, Alarm>();
  for (const each of options.alarms) {
    const enabled = each.members['ActionsEnabled'] !== false;
    alarms.set(each.name, { ...each, state: 'OK', reason: 'Nothing to report.', changed: options.now(), enabled });
  }
  const rules = new Map(
    options.alarms
      .filter(({ type }) => type === 'CompositeAlarm')
      .map(each => [each.name, alarmsInRule(String(each.members['AlarmRule']))]),
  );
  const find = (name: string): Alarm => {
    const alarm = alarms.get(name);
    if (!alarm) throw new RangeError(`No alarm is named ${name}.`);
    return alarm;
  };
  const change = (alarm: Alarm, state: AlarmState, reason: string): void => {
    if (alarm.state !== state) alarm.changed = options.now();
    Object.assign(alarm, { state, reason });
  };
  const controls: AlarmControls = {
    names: [...alarms.keys()],
    set(name, state, reason = `Set to ${state}.`) {
      change(find(name), state, reason);
      for (const [composite, members] of rules) {
        if (!members.includes(name)) continue;
        const raised = members.filter(each => alarms.get(each)?.state === 'ALARM');
        change(find(composite), raised.length > 0 ? 'ALARM' : 'OK', `In alarm: ${raised.join(', ') || 'none'}`);
      }
    },
    get: name => alarmJson(options, find(name)),
  };
  return {
    controls,
    /** @throws AwsError InvalidNextToken */
    describe: (input: JsonObject): JsonObject => describe(options, [...alarms.values()], input),
    /** Ignores unknown names. */
    switchActions(names: readonly string[], enabled: boolean): void {
      for (const name of names) Object.assign(alarms.get(name) ?? {}, { enabled });
    },
  };
}

const ALARMS_IN_PAGE = 50;

function describe(options: AlarmOptions, alarms: readonly Alarm[], input: JsonObject): JsonObject {
  const { AlarmTypes: types = ['MetricAlarm'], AlarmNamePrefix: prefix = '', NextToken: token } = input;
  const asked = alarms.filter(
    each => (types as readonly string[]).includes(each.type) && each.name.startsWith(String(prefix)),
  );
  const refusal = new AwsError(400, 'InvalidNextToken', 'The specified NextToken is invalid.');
  const page = cutListPage(asked, ALARMS_IN_PAGE, token as string | undefined, refusal);
  const ofType = (type: string) => page.items.filter(each => each.type === type).map(each => alarmJson(options, each));
  const next = page.nextToken === undefined ? {} : { NextToken: page.nextToken };
  return { CompositeAlarms: ofType('CompositeAlarm'), MetricAlarms: ofType('MetricAlarm'), ...next };
}

function alarmJson(place: ResourcePlace, { name, members, state, reason, changed, enabled }: Alarm): JsonObject {
  const actions = { OKActions: [], AlarmActions: [], InsufficientDataActions: [] };
  const time = changed / 1000;
  return {
    ...actions,
    ...members,
    AlarmName: name,
    AlarmArn: alarmArn(place, name),
    ActionsEnabled: enabled,
    StateValue: state,
    StateReason: reason,
    StateUpdatedTimestamp: time,
    StateTransitionedTimestamp: time,
  };
}

export function alarmArn(place: ResourcePlace, name: string): string {
  return arn(place, 'cloudwatch', `alarm:${name}`);
}
