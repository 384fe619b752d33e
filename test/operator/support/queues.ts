/** The name at the end of a queue's URL. */
export function sqsQueueName(url = ''): string {
  return url.split('/').at(-1) ?? '';
}
