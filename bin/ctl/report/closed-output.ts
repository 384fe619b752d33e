/**
 * Makes a reader that goes away (`| head -1`) the end of telling, not a crash: the result comes last, so what it tells of is done.
 * Progress that nobody reads any more must not end the work halfway, so of stderr everything is let pass.
 */
export function endWhereNobodyReads(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(
      `The result could not be written (${error.code ?? error.message}). What was ordered is done.\n`,
    );
    process.exit(1);
  });
}
