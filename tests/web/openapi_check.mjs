// openapi_check.mjs FILE: fails unless the file is a valid OpenAPI description.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';

const validator = new Validator();
const found = await validator.validate(JSON.parse(readFileSync(process.argv[2], 'utf8')));
console.log(JSON.stringify({ valid: found.valid, version: validator.version, errors: found.errors }));
process.exitCode = found.valid ? 0 : 1;
