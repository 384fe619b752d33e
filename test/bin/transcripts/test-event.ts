import type { CommandPage } from '../cli-reference/command-page.ts';

export const testEvent: CommandPage = {
  command: 'test-event',
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
