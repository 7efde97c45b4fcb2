import { answerCheck } from './answer.ts';
import type { Check, CheckName } from './check.ts';
import { clockCheck } from './clock.ts';
import { configCheck } from './config.ts';
import { connectionCheck } from './connection.ts';
import { dataCheck } from './data.ts';
import { generatorCheck } from './generator.ts';
import { keyCheck } from './key.ts';
import { limitsCheck } from './limits.ts';
import { programCheck } from './program.ts';
import { serviceCheck } from './service.ts';
import { settingsCheck } from './settings.ts';
import { signatureCheck } from './signature.ts';
import { spotsCheck } from './spots.ts';
import { storeCheck } from './store.ts';
import { texturesCheck } from './textures.ts';

export const CHECKS = {
  program: programCheck,
  config: configCheck,
  settings: settingsCheck,
  data: dataCheck,
  service: serviceCheck,
  connection: connectionCheck,
  answer: answerCheck,
  key: keyCheck,
  clock: clockCheck,
  limits: limitsCheck,
  slots: spotsCheck,
  textures: texturesCheck,
  signature: signatureCheck,
  store: storeCheck,
  generator: generatorCheck,
} satisfies Record<CheckName, Check>;
