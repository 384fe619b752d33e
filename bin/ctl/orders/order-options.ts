import { Argument, InvalidArgumentError, Option } from 'commander';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';

export const STREAM_NAMES: readonly StreamName[] = STREAMS.map(stream => stream.name);

export function streamsArgument(): Argument {
  return new Argument('<stream...>', 'which streams').choices(STREAM_NAMES);
}

export function waitOption(): Option {
  return new Option('--wait <seconds>', 'how long to wait for another run, which holds the lease, to end')
    .argParser(seconds)
    .default(90);
}

function seconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of seconds.');
}
