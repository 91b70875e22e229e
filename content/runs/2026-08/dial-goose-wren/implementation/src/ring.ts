export class Ring<T> {
  private items: (T | undefined)[];
  private head = 0;

  constructor(readonly size = 96) {
    this.items = new Array(size);
  }

  push(item: T): void {
    this.items[this.head] = item;
    this.head = (this.head + 1) % this.size;
  }

  newest(): T | undefined {
    return this.items[(this.head - 1 + this.size) % this.size];
  }
}
