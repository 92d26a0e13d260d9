/** All that the pure folders may know of the platform's AbortSignal: ports mention it, nobody here calls it. */
interface AbortSignal {
  readonly aborted: boolean;
}
