import * as logs from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/**
 * Creates a saved query of CloudWatch Logs Insights, which lists the last errors with one line and
 * a count for each message. Errors that the function logs have `error.name` and `error.message`.
 * Lambda adds `errorType` and `errorMessage` for a run that failed, or a text about a run that it
 * terminated.
 *
 * @param logGroup log group of the function
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
        // The function has already logged the error of each stream.
        '@message not like /StreamsFailedError/',
      ],
      statsStatements: ['count(*) as times, max(@timestamp) as last by errorName, stream, errorText'],
      sort: 'last desc',
      limit: 50,
    }),
  });
}
