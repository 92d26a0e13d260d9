export default { files: ['test/{unit,contract,cluster,e2e}/**/*.test.ts'], extensions: ['ts'], timeout: '60s' };
