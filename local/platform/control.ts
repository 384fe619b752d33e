import type { Fault } from './faults.ts';
import type { TrafficPace } from './life-pace.ts';
import type { Platform } from './platform.ts';
import { ProblemError } from './problem.ts';

export interface ControlSide {
  readonly platform: Platform;
  readonly pace?: TrafficPace | undefined;
}

/** What the operator and the estate's owner can do from outside; paths are documented in docs/platform.md. */
type Action = (side: ControlSide, id: string, body: string) => object | undefined;

/** Actions by method and path; `*` stands for an id. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'POST /assets': run((platform, _, body) => platform.putAsset(body)),
  'POST /assets/*/remove': run((platform, id) => platform.removeAsset(id)),
  'POST /assets/*/restore': run((platform, id) => platform.restoreAsset(id)),
  'POST /assets/*/reproject': run((platform, id) => platform.reproject('assets', id)),
  'POST /assets/*/tombstone': run((platform, id) => platform.tombstoneUnseen(id)),
  'POST /threats': run((platform, _, body) => platform.putThreat(body)),
  'POST /threats/*/reproject': run((platform, id) => platform.reproject('threats', id)),
  'POST /dns-blocks': run((platform, _, body) => platform.putDnsBlock(body)),
  'POST /credentials/rotate': ({ platform }) => ({
    clientId: platform.account.clientId,
    clientSecret: platform.account.rotateSecret(),
  }),
  'POST /credentials/revoke': run(platform => setRevoked(platform, true)),
  'POST /credentials/reinstate': run(platform => setRevoked(platform, false)),
  'POST /roles/*/take': run((platform, role) => void platform.account.roles.delete(role)),
  'POST /roles/*/give': run((platform, role) => void platform.account.roles.add(role)),
  'POST /tokens/expire': run(platform => platform.authority.expireTokens()),
  'POST /life': ({ pace }, _, body) => void setPace(pace, body),
  'PUT /faults': run((platform, _, body) => platform.setFaults(readFaults(body))),
  'GET /requests': ({ platform }) => Object.fromEntries(platform.requests),
};

/**
 * Does what a control call asks for. Answers an object to send back, or undefined for nothing. Throws ProblemErrors.
 */
export function controlAction(
  side: ControlSide,
  method: string,
  segments: readonly string[],
  body: string,
): object | undefined {
  const [collection = '', id = '', verb] = segments;
  const path = verb === undefined ? segments.join('/') : `${collection}/*/${verb}`;
  const action = segments.length <= 3 ? ACTIONS[`${method} /${path}`] : undefined;
  if (!action) throw new ProblemError('request/unknown-path', 'There is no such control call.');
  return action(side, id, body);
}

function run(effect: (platform: Platform, id: string, body: string) => void): Action {
  return ({ platform }, id, body) => {
    effect(platform, id, body);
    return undefined;
  };
}

function setRevoked(platform: Platform, revoked: boolean): void {
  platform.account.revoked = revoked;
}

function setPace(pace: TrafficPace | undefined, body: string): void {
  const rate = (parse(body) as { rate?: unknown } | null)?.rate;
  if (typeof rate !== 'number' || rate < 0) {
    throw new ProblemError('request/malformed', 'The body must be {"rate": changes a second}; 0 stops them.');
  }
  if (!pace) throw new ProblemError('resource/conflict', 'The life of this platform is not in the hands of this side.');
  pace.setRate(rate);
}

function readFaults(body: string): Fault[] {
  const faults = parse(body);
  if (Array.isArray(faults)) return faults as Fault[];
  throw new ProblemError('request/malformed', 'The body must be a list of faults; an empty one ends them all.');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw Object.assign(new ProblemError('request/malformed', 'The body is not JSON.'), { cause });
  }
}
