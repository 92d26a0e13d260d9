/** One literal of a source file: what is between the quotes, and where it starts. */
interface Literal {
  readonly value: string;
  readonly line: number;
}

export interface Import {
  /** What is between the quotes; undefined for an import whose name is computed. */
  readonly specifier: string | undefined;
  readonly line: number;
}

export interface Scanned {
  /** The text with comments and the contents of strings and regular expressions blanked out, same offsets and lines. */
  readonly code: string;
  readonly literals: readonly Literal[];
  readonly imports: readonly Import[];
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Where a token may start a regular expression: after an operator or an opening bracket, never after a name or a value. */
const BEFORE_REGEX = /(^|[(,=:[!&|?{};+\-*%<>~^]|\breturn|\btypeof|\bcase|\bawait)\s*$/;
const TOKENS = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  string: /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y,
  regex: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  chunk: /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y,
};

function match(token: RegExp, text: string, at: number): string | undefined {
  token.lastIndex = at;
  return token.exec(text)?.[0];
}

/**
 * Reads a TypeScript file as far as the house's rules need it: a small lexer, for the compiler that we use offers no syntax tree to programs.
 * It knows comments, strings, templates (code inside `${}` is code) and regular expressions.
 */
export function scan(text: string): Scanned {
  const literals: (Literal & { readonly offset: number })[] = [];
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const keep = (offset: number, value: string) => literals.push({ offset, value, line: lineOf(offset) });
  // For every open `${`, how many braces are open inside it.
  const templates: number[] = [];
  let code = '';
  const chunk = () => {
    const content = match(TOKENS.chunk, text, code.length) ?? '';
    keep(code.length, content);
    code += blank(content);
    if (text.startsWith('${', code.length)) {
      code += '${';
      templates.push(0);
    } else code += text[code.length] ?? '';
  };
  while (code.length < text.length) {
    const at = code.length;
    const here = text[at] as string;
    const comment = here === '/' ? match(TOKENS.comment, text, at) : undefined;
    const string = here === "'" || here === '"' ? match(TOKENS.string, text, at) : undefined;
    const regex = here === '/' && comment === undefined && BEFORE_REGEX.test(code.slice(-200)) ? match(TOKENS.regex, text, at) : undefined;
    if (comment !== undefined) code += blank(comment);
    else if (string !== undefined) {
      keep(at, string.slice(1, -1));
      code += here + blank(string.slice(1, -1)) + here;
    } else if (regex !== undefined) code += blank(regex);
    else {
      code += here;
      const open = templates.length - 1;
      if (here === '`') chunk();
      else if (open >= 0 && here === '{') templates[open] = (templates[open] ?? 0) + 1;
      else if (open >= 0 && here === '}') {
        if (templates[open] === 0) {
          templates.pop();
          chunk();
        } else templates[open] = (templates[open] ?? 0) - 1;
      }
    }
  }
  return { code, literals, imports: importsOf(code, literals, lineOf) };
}

function importsOf(
  code: string,
  literals: readonly (Literal & { readonly offset: number })[],
  lineOf: (offset: number) => number,
): Import[] {
  const at = new Map(literals.map((literal) => [literal.offset, literal.value]));
  const named = [...code.matchAll(/(?<![.\w])(?:from\s*|import\s*\(?\s*|require\s*\(\s*)(['"`])/g)];
  const computed = [...code.matchAll(/(?<![.\w])(?:import|require)\s*\(\s*(?!['"`\s])/g)];
  return [
    ...named.map((found) => ({
      specifier: at.get(found.index + found[0].length - 1) ?? at.get(found.index + found[0].length),
      line: lineOf(found.index),
    })),
    ...computed.map((found) => ({ specifier: undefined, line: lineOf(found.index) })),
  ];
}
