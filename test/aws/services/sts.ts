import { arn, type ResourcePlace } from '../../../local/aws/service.ts';
import { type QueryApi, type QueryOperation, queryService } from '../protocols.ts';
import type { Service } from '../wire.ts';

const API: QueryApi = { version: '2011-06-15', namespace: 'https://sts.amazonaws.com/doc/2011-06-15/' };

/** STS that names the caller: always the same user. */
export function createSts(place: ResourcePlace): Service<QueryOperation> {
  const user = arn({ ...place, region: '' }, 'iam', 'user/operator');
  return queryService({
    name: 'sts',
    api: API,
    actions: ['GetCallerIdentity'],
    resource: () => '*',
    answer: () => ({ Arn: user, UserId: 'AIDALOCALOPERATOR0000', Account: place.account }),
  });
}
