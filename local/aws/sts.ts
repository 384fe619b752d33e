import { MISSING_QUERY_TOKEN, type QueryApi, queryRefusal, queryReply, readQueryRequest } from './protocols.ts';
import { arn, type Place } from './service.ts';
import type { Service } from './wire.ts';

const API: QueryApi = { version: '2011-06-15', namespace: 'https://sts.amazonaws.com/doc/2011-06-15/' };

/** STS that names the caller: always the same user. */
export function createSts(place: Place): Service {
  const user = arn({ ...place, region: '' }, 'iam', 'user/operator');
  return {
    name: 'sts',
    unsigned: MISSING_QUERY_TOKEN,
    understand(request) {
      const { action } = readQueryRequest(request, API, ['GetCallerIdentity']);
      return { action, permission: `sts:${action}`, resource: '*' };
    },
    perform: async ({ action }) =>
      queryReply(API, action, { Arn: user, UserId: 'AIDALOCALOPERATOR0000', Account: place.account }),
    refusal: error => queryRefusal(API, error),
  };
}
