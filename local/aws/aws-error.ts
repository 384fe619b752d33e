/** A refusal as an AWS service gives it: HTTP status, error code, and a message that the caller will see. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}
