"""Schemas: Kubernetes' own, of the last three minors that kubernetes-validate brings, and those kept in k8s/schemas/."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import kubernetes_validate
from kubernetes_validate import utils
from tests.manifests.reading import K8S, Document

SCHEMAS = K8S / "schemas"
MINORS = 3


def minors() -> list[str]:
    """Give the last three minors there are schemas for, such as 1.35, 1.36 and 1.37."""
    versions = dict.fromkeys(utils.major_minor(version) for version in utils.all_versions())
    return list(versions)[-MINORS:]


def faults(document: Document) -> Iterator[str]:
    """Give what is wrong with a resource in the eyes of each minor, or of the schema kept for its kind."""
    kept = SCHEMAS / f"{document['kind']}.json"
    if kept.exists():
        yield from _faults_by(kept.stem, document)
        return
    for minor in minors():
        try:
            kubernetes_validate.validate(document, minor, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"{minor}: {'.'.join(map(str, error.path))}: {error.message}"
        except kubernetes_validate.SchemaNotFoundError as error:
            yield error.message


def kustomization_faults(document: Document) -> Iterator[str]:
    """Give what is wrong with a kustomization."""
    yield from _faults_by("kustomization", document)


def _faults_by(name: str, document: Document) -> Iterator[str]:
    for error in jsonschema.Draft202012Validator(_kept(name)).iter_errors(document):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message}"


@cache
def _kept(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema
