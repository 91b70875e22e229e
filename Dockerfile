# The program alone, as a static binary:
#
#   docker build -t runpress .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/site" runpress build
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev make
WORKDIR /src
COPY . .
RUN cargo build --release --locked

FROM scratch
COPY --from=build /src/target/release/runpress /runpress
WORKDIR /site
ENTRYPOINT ["/runpress"]
