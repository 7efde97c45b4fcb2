/** An answered request. */
export interface AnsweredRequest {
  /** The address of the route (`/v2/skins/:uuid`); undefined if no route matched. */
  readonly route: string | undefined;
  readonly method: string;
  readonly status: number;
  readonly milliseconds: number;
}

/** Why a job has permanently failed. */
export interface FailureReason {
  readonly code: string;
  readonly message: string;
}

/** Receives events of the service, for metrics and logs. */
export interface Observer {
  requestAnswered(request: AnsweredRequest): void;
  /** A request was refused, or failed, with this error code. */
  refused(code: string): void;
  /** A generation was answered with known skin data. */
  duplicateAnswered(): void;
  /** A generator made skin data. */
  generated(milliseconds: number): void;
  jobCompleted(uuid: string): void;
  /** A job has permanently failed. */
  jobFailed(uuid: string, failure: FailureReason): void;
  /** A webhook was delivered or abandoned. */
  webhookEnded(isDelivered: boolean): void;
  /** A connection was closed because there are too many, or because it sent too much that is incomplete. */
  connectionDropped(): void;
}

/** Passes everything on to all observers. Without any, it costs nothing. */
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
