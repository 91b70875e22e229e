# The program alone, as a static binary:
#
#   docker build --build-arg COMMIT="$(git rev-parse HEAD)" -t runpress .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/site" runpress build
#
# COMMIT is what `--version` names; the history is not copied, so without it the version stands alone.
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev make
WORKDIR /src
COPY . .
ARG COMMIT=""
RUN RUNPRESS_COMMIT="$COMMIT" cargo build --release --locked
# Large builds put text aside in a folder for temporary files, which an empty image does not have.
RUN mkdir -p /image/tmp && chmod 1777 /image/tmp && cp target/release/runpress /image/runpress

FROM scratch
COPY --from=build /image/ /
WORKDIR /site
ENTRYPOINT ["/runpress"]
