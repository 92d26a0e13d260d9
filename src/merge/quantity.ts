const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/;
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** A quantity keeps nothing finer than a billionth. */
const finest = 9;

/**
 * A Kubernetes quantity in billionths: 1000m and 1 give the same number, 1Gi and 1024Mi too. Undefined when the value is no quantity.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function billionths(value: unknown): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const [, sign, whole = '', fraction = '', suffix, exponent] = pattern.exec(String(value)) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const power = exponent === undefined ? (decimal[suffix ?? ''] ?? 0) : Number(exponent);
  if (Math.abs(power) > 30) return undefined;
  const scale = 1024n ** BigInt(binary.indexOf(suffix ?? '') + 1);
  const shift = finest + power - fraction.length;
  const digits = BigInt(whole + fraction) * scale;
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedUp(digits, 10n ** BigInt(-shift));
  return sign === '-' ? -size : size;
}

function roundedUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}
