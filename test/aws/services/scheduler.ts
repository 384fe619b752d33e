import { AwsError, arn, type Operation, type ResourcePlace, type WireRequest } from '../../../local/aws/service.ts';
import {
  type JsonObject,
  MISSING_REST_TOKEN,
  readRestAddress,
  readRestBody,
  restRefusal,
  restReply,
  unknownOperation,
} from '../protocols.ts';
import type { Service } from '../wire.ts';

export interface SchedulerControls {
  /** A schedule as `GetSchedule` answers it; undefined for an unknown name. */
  get(name: string): JsonObject | undefined;
  /** Creates or replaces, with the members of `UpdateSchedule`. */
  put(name: string, members: JsonObject): void;
  delete(name: string): void;
}

export interface SchedulerOptions extends ResourcePlace {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface SchedulerOperation extends Operation {
  readonly schedule: string;
  readonly group: string;
  readonly input: JsonObject;
}

const GROUP = 'default';

/** EventBridge Scheduler with schedules of the default group, which never fire. */
export function createScheduler(options: SchedulerOptions): {
  service: Service<SchedulerOperation>;
  controls: SchedulerControls;
} {
  const schedules = new Map<string, JsonObject>();
  const idOf = (group: string, name: string) => arn(options, 'scheduler', `schedule/${group}/${name}`);
  const controls: SchedulerControls = {
    get: name => schedules.get(name),
    put(name, members) {
      const time = options.now() / 1000;
      const about = { Arn: idOf(GROUP, name), GroupName: GROUP, Name: name };
      const dates = { CreationDate: schedules.get(name)?.['CreationDate'] ?? time, LastModificationDate: time };
      schedules.set(name, { ...about, ...readScheduleInput(members), ...dates });
    },
    delete: name => void schedules.delete(name),
  };
  const service: Service<SchedulerOperation> = {
    name: 'scheduler',
    unsigned: MISSING_REST_TOKEN,
    understand(request) {
      const { path, query } = readRestAddress(request);
      const [schedules, schedule = ''] = path;
      const action = ACTIONS[request.method];
      if (schedules !== 'schedules' || path.length !== 2 || !action) throw unknownOperation(request);
      const input = readRestBody(request);
      const group = query.get('groupName') ?? String(input['GroupName'] ?? GROUP);
      return { action, permission: `scheduler:${action}`, resource: idOf(group, schedule), schedule, group, input };
    },
    async perform({ action, schedule, group, input, resource }) {
      const found = group === GROUP ? schedules.get(schedule) : undefined;
      if (!found) throw notFound(group === GROUP ? `Schedule ${schedule}` : `Schedule group ${group}`);
      if (action === 'GetSchedule') return restReply(found);
      controls.put(schedule, input);
      return restReply({ ScheduleArn: resource });
    },
    refusal: restRefusal,
  };
  return { service, controls };
}

const ACTIONS: Readonly<Record<WireRequest['method'], string>> = { GET: 'GetSchedule', PUT: 'UpdateSchedule' };

function notFound(what: string): AwsError {
  return new AwsError(404, 'ResourceNotFoundException', `${what} does not exist.`);
}

/** How long and how often Scheduler tries by default. */
const RETRY_DEFAULTS = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/** The schedule after an update, which replaces all of it: the members of the request, and the default of every other. */
function readScheduleInput({ Name: _name, ClientToken: _token, ...input }: JsonObject): JsonObject {
  const { Target: target } = input as { readonly Target?: JsonObject };
  return {
    ScheduleExpressionTimezone: 'UTC',
    State: 'ENABLED',
    ActionAfterCompletion: 'NONE',
    ...input,
    Target: { ...target, RetryPolicy: { ...RETRY_DEFAULTS, ...(target?.['RetryPolicy'] as object | undefined) } },
  };
}
