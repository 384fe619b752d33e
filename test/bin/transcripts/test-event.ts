import type { CommandPage } from '../cli-reference/command-page.ts';

export const testEvent: CommandPage = {
  command: 'test-event',
  purpose: `Sends one event of the kind \`test\` to the delivery stream, with your credentials, and waits until it is in the bucket. Then search for it in the
SIEM: [is everything there?](siem/completeness.md). It works while the connector is paused or a run is in progress, and needs
\`firehose:PutRecord\`. No view counts the event. The exit status is 3 if the bucket does not have it in time. An endpoint that is not S3 is not
waited for.`,
  scenes: [
    {
      args: ['test-event'],
      shown: output =>
        output
          .replaceAll(/\b[0-9a-f]{32}\b/g, '5d41402abc4b2a76b9719d911017c592')
          .replace(/s3:\/\/\S+/, 's3://security-data/events/2026/11/20/12/….json.gz.'),
    },
  ],
};
