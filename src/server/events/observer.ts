/** A request that was answered. */
export interface AnsweredRequest {
  /** Address as the route has it (`/v2/skins/:uuid`); undefined where no route was found. */
  readonly route: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly milliseconds: number;
}

/** Why a job has failed for good. */
export interface FailureReason {
  readonly code: string;
  readonly message: string;
}

/** Who counts, or tells, what goes on in the service. */
export interface Observer {
  requestAnswered(request: AnsweredRequest): void;
  /** A request was refused, or failed, with this error code. */
  refused(code: string): void;
  /** A generation was answered with skin data that was there. */
  duplicateAnswered(): void;
  /** A generator made skin data. */
  generated(milliseconds: number): void;
  jobCompleted(uuid: string): void;
  /** A job has failed for good. */
  jobFailed(uuid: string, failure: FailureReason): void;
  /** A webhook was delivered, or is not tried again. */
  webhookEnded(isDelivered: boolean): void;
  /** A connection was closed because there are too many, or because too much came over it that is not complete. */
  connectionDropped(): void;
}

/** Passes everything on to all observers; without any it costs nothing. */
export class Observers implements Observer {
  readonly #all: Partial<Observer>[] = [];

  add(observer: Partial<Observer>): void {
    this.#all.push(observer);
  }

  requestAnswered(request: AnsweredRequest): void {
    for (const one of this.#all) one.requestAnswered?.(request);
  }

  refused(code: string): void {
    for (const one of this.#all) one.refused?.(code);
  }

  duplicateAnswered(): void {
    for (const one of this.#all) one.duplicateAnswered?.();
  }

  generated(milliseconds: number): void {
    for (const one of this.#all) one.generated?.(milliseconds);
  }

  jobCompleted(uuid: string): void {
    for (const one of this.#all) one.jobCompleted?.(uuid);
  }

  jobFailed(uuid: string, failure: FailureReason): void {
    for (const one of this.#all) one.jobFailed?.(uuid, failure);
  }

  webhookEnded(isDelivered: boolean): void {
    for (const one of this.#all) one.webhookEnded?.(isDelivered);
  }

  connectionDropped(): void {
    for (const one of this.#all) one.connectionDropped?.();
  }
}
