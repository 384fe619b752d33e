import type { LocalAws } from '../../../local/aws/endpoints.ts';
import { type Act, json } from '../../lambda/support/http-stand.ts';

/** The half of Secrets Manager that writes; what it takes is what the function reads from then on. */
export function secretsAct(aws: LocalAws): Act {
  return (response, request) => {
    const { SecretId, SecretString } = JSON.parse(request.body);
    const known = request.headers['x-amz-target'] === 'secretsmanager.PutSecretValue' && SecretId === aws.names.secret;
    if (!known)
      return json(400, { __type: 'ResourceNotFoundException', message: 'No such secret.' })(response, request);
    aws.secret.put(SecretString);
    return json(200, { ARN: aws.secret.arn, Name: SecretId, VersionStages: ['AWSCURRENT'] })(response, request);
  };
}
