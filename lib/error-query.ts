import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * A saved query of CloudWatch Logs Insights: the last errors, one line for each message with its count. Errors that the function logs have
 * `error.name` and `error.message`. Lambda adds `errorType` and `errorMessage` of a run that failed, or a text about a run that it terminated.
 *
 * @param logGroup of the function
 */
export function createErrorQuery(
  scope: Construct,
  connectorName: string,
  logGroup: logs.ILogGroup,
): logs.QueryDefinition {
  return new logs.QueryDefinition(scope, 'ErrorQuery', {
    queryDefinitionName: `security-data-connector/${connectorName}/errors`,
    logGroups: [logGroup],
    queryString: new logs.QueryString({
      fields: [
        'coalesce(error.name, errorType) as errorName',
        'coalesce(error.message, errorMessage, @message) as errorText',
      ],
      filterStatements: [
        "level = 'ERROR' or @message like /Invoke Error|Task timed out|Runtime exited/",
        // The function has logged the error of each stream.
        '@message not like /StreamsFailedError/',
      ],
      statsStatements: ['count(*) as times, max(@timestamp) as last by errorName, stream, errorText'],
      sort: 'last desc',
      limit: 50,
    }),
  });
}
