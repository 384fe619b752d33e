import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { expect, test } from '@jest/globals';
import { createSts } from '../../../local/aws/sts.ts';
import { PLACE, served } from './served.ts';

test('GetCallerIdentity returns account and user, and every other action is refused', async () => {
  await using each = await served(createSts(PLACE));
  const client = new STSClient(each.config);
  expect(await client.send(new GetCallerIdentityCommand())).toMatchObject({
    Account: '000000000000',
    Arn: 'arn:aws:iam::000000000000:user/operator',
    UserId: expect.any(String),
  });
  const assume = client.send(
    new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::000000000000:role/x', RoleSessionName: 'x' }),
  );
  await expect(assume).rejects.toMatchObject({ name: 'InvalidAction' });
  expect(each.permissions).toEqual([['sts:GetCallerIdentity', '*']]);
});

test('expired credentials are refused with the error of the service', async () => {
  await using each = await served(createSts(PLACE));
  const message = 'The security token included in the request is expired';
  each.faults.next('sts', { refuse: { status: 403, code: 'ExpiredToken', message } });
  await expect(new STSClient(each.config).send(new GetCallerIdentityCommand())).rejects.toMatchObject({ message });
});
