import test from 'ava';
import fc from 'fast-check';
import { blobSha, textOf, within } from '../../../src/source/text.ts';

const reads = test.macro((t, bytes: string | Buffer, then: string | undefined) => t.is(textOf(Buffer.from(bytes)), then));

test('given text, then it is read as it is, the byte order mark too', reads, '\uFEFFkind: ä\r\n', '\uFEFFkind: ä\r\n');
test('given an empty file, then it is empty text', reads, '', '');
test('given a NUL anywhere, then it is no text', reads, `${'x'.repeat(100_000)}\0`, undefined);
test(
  'given a Git LFS pointer, then it is no text',
  reads,
  'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n',
  undefined,
);
test(
  'given a long text that starts like a pointer, then it is text',
  reads,
  `version https://git-lfs.github.com/spec/v1\n${'x'.repeat(2000)}`,
  `version https://git-lfs.github.com/spec/v1\n${'x'.repeat(2000)}`,
);

const lies = test.macro((t, path: string, folders: readonly string[], then: boolean) => t.is(within(path, folders), then));

test('given no folder, then every path counts', lies, 'a/b.yaml', [], true);
test('given the root by a dot, then every path counts', lies, 'a/b.yaml', ['.'], true);
test('given a folder written with ./ and a slash, then its files count', lies, 'a/b.yaml', ['./a/'], true);
test('given a folder whose name the path only starts with, then it does not count', lies, 'ab/c.yaml', ['a'], false);
test('given the file itself, then it counts', lies, 'a/b.yaml', ['a/b.yaml'], true);
test('given a hidden folder, then its dot is kept', lies, 'github/x.yaml', ['.github'], false);

test('given any folder and any name below it, then the path lies within, and within every folder above', (t) => {
  const name = fc.stringMatching(/^[a-zäß_-]{1,6}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 2, maxLength: 6 }), fc.nat(), (names, cut) => {
      const above = names.slice(0, 1 + (cut % (names.length - 1))).join('/');
      return within(names.join('/'), [above]) && !within(names.join('/'), [`${above}x`]);
    }),
  );
  t.pass();
});

test("given the bytes of a blob, then its name is Git's", (t) => {
  t.is(blobSha(Buffer.from('')), 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', 'the empty blob, known to every Git');
  t.is(blobSha(Buffer.from('hello\n')), 'ce013625030ba8dba906f756967f9e9ca394464a');
});
