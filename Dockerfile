# crosspro with its models, on a CPU:
#   docker build -t crosspro .
#   docker run --rm -v "$PWD:/text" crosspro proofread book.en book.de
FROM python:3.12-slim AS build
WORKDIR /project
COPY . .
RUN python -m venv --without-pip /opt/crosspro \
    && pip --python /opt/crosspro install --no-cache-dir -c constraints.txt '.[formats]'

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 crosspro
COPY --from=build /opt/crosspro /opt/crosspro
ENV PATH=/opt/crosspro/bin:$PATH \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /text
ENTRYPOINT ["crosspro"]
CMD ["--help"]
