/** Failures of the SDK that every operator meets, in words that say what to do. */
const SENTENCES: readonly (readonly [name: RegExp, sentence: string])[] = [
  [/^CredentialsProviderError$/, 'There are no AWS credentials here. Log in, or say --profile.'],
  [/^(ExpiredToken|ExpiredTokenException|RequestExpired)$/, 'The AWS credentials have expired. Log in again.'],
  [
    /^(UnrecognizedClientException|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignatureException)$/,
    'AWS does not know these credentials. Check the profile, and the clock of this machine.',
  ],
  [/AccessDenied|AuthorizationError|NotAuthorized|UnauthorizedOperation/, 'AWS refuses you this.'],
  [/Throttl|TooManyRequests|SlowDown|RequestLimitExceeded/, 'AWS asks for patience: try again in a minute.'],
  [/NotFound|NoSuch|DoesNotExist|NonExistentQueue/, 'It is not there: deleted, or of another account or region.'],
];

/** What went wrong in a call of AWS: the error's own name and words, after a sentence where the case is a common one. */
export function awsFailureText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (/^Region (is missing|not accepted)/.test(cause.message))
    return 'No region is set, or none that there is. Say --region, or set AWS_REGION.';
  const said = `${cause.name}: ${cause.message}`;
  const sentence = SENTENCES.find(([name]) => name.test(cause.name))?.[1];
  if (sentence) return `${sentence} (${said})`;
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === 'ENOTFOUND') return `There is no such address: check the region, and the network. (${said})`;
  return said;
}
