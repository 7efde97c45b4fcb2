import type { Check, CheckName } from './check.ts';
import { configCheck, dataCheck, programCheck, settingsCheck } from './machine-checks.ts';
import {
  answerCheck,
  clockCheck,
  connectionCheck,
  keyCheck,
  limitsCheck,
  serviceCheck,
  slotsCheck,
} from './service-checks.ts';
import { generatorCheck, signatureCheck, storeCheck, texturesCheck } from './skin-checks.ts';
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
  slots: slotsCheck,
  textures: texturesCheck,
  signature: signatureCheck,
  store: storeCheck,
  generator: generatorCheck,
} satisfies Record<CheckName, Check>;
