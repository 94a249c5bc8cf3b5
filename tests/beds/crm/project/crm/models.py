"""Companies and the people in them."""

from __future__ import annotations

from django.db import models


class Company(models.Model):
    """Where somebody works."""

    name = models.CharField(max_length=80)

    class Meta:
        """How the admin speaks of them."""

        verbose_name_plural = "companies"

    def __str__(self) -> str:
        return self.name


class Contact(models.Model):
    """Somebody, with a contract perhaps."""

    name = models.CharField(max_length=80)
    email = models.EmailField()
    kind = models.CharField(
        max_length=10, choices=[("lead", "Lead"), ("customer", "Customer"), ("former", "Former")]
    )
    company = models.ForeignKey(Company, on_delete=models.CASCADE)
    contract = models.FileField(upload_to="contracts", blank=True)

    def __str__(self) -> str:
        return self.name
