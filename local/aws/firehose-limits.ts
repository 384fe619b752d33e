/** Limits of Firehose's Direct PUT, per call and per record. Sizes are in bytes before base64. */
const FIREHOSE_LIMITS = { records: 500, callBytes: 4 * 1024 * 1024, recordBytes: 1_024_000 } as const;

/** Firehose bills every record in steps of this size. */
const BILLING_STEP_BYTES = 5 * 1024;

export interface LimitFault {
  readonly code: 'ValidationException' | 'InvalidArgumentException';
  readonly message: string;
}

/**
 * What Firehose objects to in a call with records of these sizes; undefined when nothing. A call over a limit is refused
 * whole: none of its records is taken.
 */
export function limitFault(recordBytes: readonly number[]): LimitFault | undefined {
  return countFault(recordBytes.length) ?? recordFault(recordBytes) ?? callFault(recordBytes);
}

/** Bytes that Firehose bills for one record. */
export function billedBytes(recordBytes: number): number {
  return Math.ceil(recordBytes / BILLING_STEP_BYTES) * BILLING_STEP_BYTES;
}

function countFault(records: number): LimitFault | undefined {
  if (records >= 1 && records <= FIREHOSE_LIMITS.records) return undefined;
  const bound = records === 0 ? 'greater than or equal to 1' : `less than or equal to ${FIREHOSE_LIMITS.records}`;
  return validation([`Value at 'records' failed to satisfy constraint: Member must have length ${bound}`]);
}

function recordFault(recordBytes: readonly number[]): LimitFault | undefined {
  const faults = recordBytes.flatMap((bytes, index) =>
    bytes <= FIREHOSE_LIMITS.recordBytes
      ? []
      : [
          `Value 'java.nio.HeapByteBuffer[pos=0 lim=${bytes} cap=${bytes}]' at 'records.${index + 1}.member.data' failed to satisfy constraint: Member must have length less than or equal to ${FIREHOSE_LIMITS.recordBytes}`,
        ],
  );
  return faults.length > 0 ? validation(faults) : undefined;
}

function callFault(recordBytes: readonly number[]): LimitFault | undefined {
  const total = recordBytes.reduce((sum, bytes) => sum + bytes, 0);
  if (total <= FIREHOSE_LIMITS.callBytes) return undefined;
  return { code: 'InvalidArgumentException', message: 'Records size exceeds 4 MB limit' };
}

function validation(faults: readonly string[]): LimitFault {
  const count = `${faults.length} validation error${faults.length === 1 ? '' : 's'} detected`;
  return { code: 'ValidationException', message: `${count}: ${faults.join('; ')}` };
}
